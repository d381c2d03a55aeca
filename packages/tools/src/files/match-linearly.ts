/** Finds all matches with the Knuth-Morris-Pratt algorithm: the time is linear for every input. */
export function matchLinearly(text: Uint8Array, wanted: Wanted): readonly Span[] {
  const { bytes, anyLineEnding, mayOverlap, most } = wanted;
  const fallbacks = fallbacksOf(bytes);
  const matches: Span[] = [];
  let same = 0;
  for (let at = 0; at < text.length && matches.length < most; at += 1) {
    const byte = text[at];
    if (anyLineEnding && byte === RETURN && text[at + 1] === NEWLINE) continue;
    while (same > 0 && bytes[same] !== byte) same = fallbacks[same - 1] as number;
    if (bytes[same] === byte) same += 1;
    if (same < bytes.length) continue;
    matches.push({ start: startOf(text, wanted, at), end: at + 1 });
    same = mayOverlap ? (fallbacks[same - 1] as number) : 0;
  }
  return matches;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** For each prefix, the length of its longest border. */
function fallbacksOf(bytes: Uint8Array): Uint32Array {
  const fallbacks = new Uint32Array(bytes.length);
  let same = 0;
  for (let at = 1; at < bytes.length; at += 1) {
    while (same > 0 && bytes[same] !== bytes[at]) same = fallbacks[same - 1] as number;
    if (bytes[same] === bytes[at]) same += 1;
    fallbacks[at] = same;
  }
  return fallbacks;
}

/** Where a match began, given its last byte: a line ending of two bytes is treated as one. */
function startOf(text: Uint8Array, { bytes, anyLineEnding }: Wanted, last: number): number {
  if (!anyLineEnding) return last + 1 - bytes.length;
  let start = last + 1;
  for (let left = bytes.length; left > 0; left -= 1) {
    start -= 1;
    if (text[start] === NEWLINE && text[start - 1] === RETURN) start -= 1;
  }
  return start;
}

/** A range of bytes; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What to search for, in UTF-8, and how. */
export interface Wanted {
  readonly bytes: Uint8Array;
  /** A `\n` in the text also matches `\r\n`. The text itself must not contain `\r\n` then. */
  readonly anyLineEnding: boolean;
  /** Include matches that overlap the previous one. */
  readonly mayOverlap: boolean;
  /** Stop after this many matches. */
  readonly most: number;
}
