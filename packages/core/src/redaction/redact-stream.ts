import { beforeKey, isStartOfKey, isWholeKey } from "./private-key.ts";
import { longestDeclared, type Redactor, type SecretSpan } from "./redactor.ts";
import { replaceSpans } from "./spans.ts";

/** Longer than any secret we know a shape for, private keys included. */
const LONGEST_SECRET = 16_384;

/** Redacts text that arrives in pieces, so that a secret cut in two is still found. */
export interface RedactingStream {
  /** Text that is safe to pass on; the rest is buffered. */
  push(chunk: string): string;
  end(): string;
}

const LONGEST_START = 100;
/** How far before a secret stands what it is known by: its name, or the command that it is an option of. */
const LONGEST_CONTEXT = 500;
/** Stands for the part of a key that has passed already, so that the rest of it is known for what it is. */
const REST_OF_KEY = `-----BEGIN PRIVATE KEY-----${"A".repeat(64)}`;

/** Redacts a stream of text, also secrets that are split over chunks. */
export function redactStream(redactor: Redactor): RedactingStream {
  let held = "";
  /** What stands at the start of `held` and was never sent. */
  let carried = "";

  function release(upTo: number): string {
    const spans = redactor.find(held);
    // A name stands before its value: where they would be parted, both pass now.
    const cutSpan = spans.findLast((span) => span.start < upTo + LONGEST_CONTEXT && upTo <= span.end);
    const cut = cutSpan?.end ?? upTo;
    const passed = replaceSpans(
      held.slice(0, cut),
      spans
        .filter((span) => span.end <= cut)
        .map((span) => (span.start < carried.length ? unsent(span) : span)),
    );
    carried = cutSpan === undefined ? "" : carriedFor(cutSpan);
    held = carried + held.slice(cut);
    return passed;
  }

  function carriedFor({ start, end }: SecretSpan): string {
    const isOpen =
      isStartOfKey(held.slice(start, start + LONGEST_START)) && !isWholeKey(held.slice(start, end));
    return isOpen ? beforeKey(held, start) + REST_OF_KEY : "";
  }

  return {
    push(chunk) {
      held += chunk;
      const longest = Math.max(LONGEST_SECRET, longestDeclared(redactor));
      return held.length < longest * 4 ? "" : release(lastBreak(held, held.length - longest));
    },
    end: () => release(held.length),
  };
}

/** After a line end if there is one near by, so that what is passed on reads well. */
function lastBreak(text: string, before: number): number {
  const line = text.lastIndexOf("\n", before);
  return line > before - LONGEST_SECRET / 2 ? line + 1 : before;
}

/** The key was marked when its first part was sent. */
function unsent(span: SecretSpan): SecretSpan {
  return { ...span, start: 0, mark: "" };
}
