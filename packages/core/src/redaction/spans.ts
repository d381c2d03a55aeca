import type { SecretSpan } from "../contract/store/store.ts";
import type { FoundSecret } from "./named-values.ts";

/** A text with marks in the place of its secrets. */
export function replaceSpans(text: string, spans: readonly SecretSpan[]): string {
  if (spans.length === 0) return text;
  let out = "";
  let at = 0;
  for (const span of spans) {
    out += text.slice(at, span.start) + span.mark;
    at = span.end;
  }
  return out + text.slice(at);
}

/** Where two overlap, one mark covers both. */
export function withoutOverlap(spans: readonly SecretSpan[]): readonly SecretSpan[] {
  if (spans.length < 2) return spans;
  const merged: SecretSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    else if (span.end > last.end) merged[merged.length - 1] = { ...last, end: span.end };
  }
  return merged;
}

/** Both, in order. Where a shape is known within a value, the value is called by its shape. */
export function withNamed(known: readonly SecretSpan[], named: readonly SecretSpan[]): readonly SecretSpan[] {
  if (named.length === 0) return known;
  let at = 0;
  const wider = named.map((span) => {
    while ((known[at]?.end ?? Number.POSITIVE_INFINITY) <= span.start) at += 1;
    const inside = known[at];
    return inside !== undefined && inside.start < span.end ? { ...span, mark: inside.mark } : span;
  });
  return withoutOverlap([...known, ...wider]);
}

export function marked({ start, end, name }: FoundSecret): SecretSpan {
  return { start, end, mark: mark(name) };
}

/** Square brackets only: the mark must be harmless inside a JSON string. */
export function mark(name: string): string {
  return `[redacted:${name.replaceAll(/[^A-Za-z0-9_.-]/g, "_")}]`;
}
