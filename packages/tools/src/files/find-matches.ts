import { matchLinearly } from "./match-linearly.ts";
import { narrowed, type SearchedText } from "./searched-text.ts";

/** A part of some bytes: from `start` up to `end`, which is no part of it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What is looked for, in UTF-8, and how. */
export interface Wanted {
  readonly bytes: Uint8Array;
  /** A `\n` that is looked for also stands for a `\r\n`. It must not be written as `\r\n` then. */
  readonly anyLineEnding: boolean;
  /** Also what begins within the match before it. */
  readonly mayOverlap: boolean;
  /** To stop at. */
  readonly most: number;
}

/**
 * Where something stands in a text, first to last. Takes time linear in both: it looks for a part of it and then
 * around that, and goes on step by step if that part is found too often.
 */
export function findMatches(text: SearchedText, wanted: Wanted): readonly Span[] {
  const anchor = anchorOf(wanted);
  return (anchor && lookAround(text, wanted, anchor)) ?? matchLinearly(text.bytes, wanted);
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** Comparisons for each byte, before it goes step by step. */
const MOST_WORK = 8;
/** The engine may need as many comparisons for each byte as the part has. */
const LONGEST_ANCHOR = 64;

/** The longest part without a line ending, which stands in the text as it is; `undefined` where there is none to rely on. */
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

/** `undefined`: it took too many comparisons. */
function lookAround(text: SearchedText, wanted: Wanted, { start, end }: Span): readonly Span[] | undefined {
  const { bytes, most, mayOverlap } = wanted;
  const part = narrowed(bytes.subarray(start, Math.min(end, start + LONGEST_ANCHOR)));
  const matches: Span[] = [];
  let work = MOST_WORK * (text.bytes.length + bytes.length);
  for (let at = text.narrow.indexOf(part); at !== -1 && matches.length < most; ) {
    work -= bytes.length;
    if (work < 0) return undefined;
    const match = matchAround(text.bytes, wanted, { index: start, at });
    const isNew = match !== undefined && (mayOverlap || match.start >= (matches.at(-1)?.end ?? 0));
    if (isNew) matches.push(match);
    at = text.narrow.indexOf(part, isNew && !mayOverlap ? match.end : at + 1);
  }
  return matches;
}

interface Known {
  /** Of a byte of what is looked for, and where it stands in the text. */
  readonly index: number;
  readonly at: number;
}

/** The whole match, if what is before and after fits too. */
function matchAround(text: Uint8Array, { bytes, anyLineEnding }: Wanted, known: Known): Span | undefined {
  let start = known.at;
  for (let index = known.index - 1; index >= 0; index -= 1) {
    start -= 1;
    if (text[start] !== bytes[index]) return undefined;
    if (bytes[index] === NEWLINE && text[start - 1] === RETURN) start -= 1;
  }
  let end = known.at;
  for (let index = known.index; index < bytes.length; index += 1) {
    if (anyLineEnding && bytes[index] === NEWLINE && text[end] === RETURN) end += 1;
    if (text[end] !== bytes[index]) return undefined;
    end += 1;
  }
  return { start, end };
}
