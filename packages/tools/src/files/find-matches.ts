import { matchLinearly, type Span, type Wanted } from "./match-linearly.ts";
import { LONGEST_PART, narrowed, type SearchedText } from "./searched-text.ts";

/**
 * Finds all matches, in order. Takes time linear in both inputs: it searches for a distinctive part and compares around
 * each hit, and falls back to a linear matcher if that part occurs too often.
 */
export function findMatches(text: SearchedText, wanted: Wanted): readonly Span[] {
  const anchor = anchorOf(wanted);
  return (anchor && lookAround(text, wanted, anchor)) ?? matchLinearly(text.bytes, wanted);
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** Comparisons for each byte before the linear matcher takes over. */
const MOST_WORK = 8;

/** The longest part without a line ending, which occurs in the text unchanged; `undefined` if there is none. */
function anchorOf({ bytes, anyLineEnding }: Wanted): Span | undefined {
  if (!anyLineEnding) return { start: 0, end: bytes.length };
  if (bytes.includes(RETURN)) return undefined;
  let anchor: Span = { start: 0, end: 0 };
  for (let start = 0; start <= bytes.length; ) {
    const found = bytes.indexOf(NEWLINE, start);
    const end = found === -1 ? bytes.length : found;
    if (end - start > anchor.end - anchor.start) anchor = { start, end };
    start = end + 1;
  }
  return anchor.end > anchor.start ? anchor : undefined;
}

/** Returns `undefined` when it took too many comparisons. */
function lookAround(text: SearchedText, wanted: Wanted, { start, end }: Span): readonly Span[] | undefined {
  const { bytes, most, mayOverlap } = wanted;
  const part = narrowed(bytes.subarray(start, Math.min(end, start + LONGEST_PART)));
  const matches: Span[] = [];
  let work = MOST_WORK * (text.bytes.length + bytes.length);
  for (let at = text.indexOf(part, 0); at !== -1 && matches.length < most; ) {
    work -= bytes.length;
    if (work < 0) return undefined;
    const match = matchAround(text.bytes, wanted, { index: start, at });
    const isNew = match !== undefined && (mayOverlap || match.start >= (matches.at(-1)?.end ?? 0));
    if (isNew) matches.push(match);
    at = text.indexOf(part, isNew && !mayOverlap ? match.end : at + 1);
  }
  return matches;
}

interface Hit {
  /** Offsets of a byte in the searched text and in the file. */
  readonly index: number;
  readonly at: number;
}

/** Extends a hit to the whole match, if the bytes before and after match too. */
function matchAround(text: Uint8Array, { bytes, anyLineEnding }: Wanted, hit: Hit): Span | undefined {
  let start = hit.at;
  for (let index = hit.index - 1; index >= 0; index -= 1) {
    start -= 1;
    if (text[start] !== bytes[index]) return undefined;
    if (bytes[index] === NEWLINE && text[start - 1] === RETURN) start -= 1;
  }
  let end = hit.at;
  for (let index = hit.index; index < bytes.length; index += 1) {
    if (anyLineEnding && bytes[index] === NEWLINE && text[end] === RETURN) end += 1;
    if (text[end] !== bytes[index]) return undefined;
    end += 1;
  }
  return { start, end };
}
