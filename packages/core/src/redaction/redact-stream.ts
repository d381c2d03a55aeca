import { type Redactor, replaceSpans } from "./redactor.ts";

/** Longer than any secret we know a shape for, private keys included. */
const LONGEST_SECRET = 16_384;

/** Redacts text that arrives in pieces, so that a secret cut in two is still found. */
export interface RedactingStream {
  /** Text that is safe to pass on by now; the rest is held back. */
  push(chunk: string): string;
  end(): string;
}

export function redactStream(redactor: Redactor): RedactingStream {
  let held = "";

  function release(upTo: number): string {
    const spans = redactor.find(held);
    const cut = spans.find((span) => span.start < upTo && upTo < span.end)?.end ?? upTo;
    const passed = replaceSpans(
      held.slice(0, cut),
      spans.filter((span) => span.end <= cut),
    );
    held = held.slice(cut);
    return passed;
  }

  return {
    push(chunk) {
      held += chunk;
      return held.length < LONGEST_SECRET * 4 ? "" : release(lastBreak(held, held.length - LONGEST_SECRET));
    },
    end: () => release(held.length),
  };
}

/** After a line end if there is one near by, so that what is passed on reads well. */
function lastBreak(text: string, before: number): number {
  const line = text.lastIndexOf("\n", before);
  return line > before - LONGEST_SECRET / 2 ? line + 1 : before;
}
