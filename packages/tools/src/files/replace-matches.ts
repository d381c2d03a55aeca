import { ToolFailure } from "@toolkeep/core";
import type { Span } from "./match-linearly.ts";

/** A part of the old text and its replacement. */
export interface Change extends Span {
  readonly newStart: number;
  readonly newEnd: number;
}

export interface Replaced {
  readonly bytes: Uint8Array;
  readonly changes: readonly Change[];
}

export interface Replacement {
  readonly bytes: Uint8Array;
  /** Adapt the line endings of the replacement, which must be `\n`, to those of the text it replaces. */
  readonly adoptsLineEndings: boolean;
}

const MOST_BYTES = 64 * 1_024 * 1_024;

/** Replaces matches that do not overlap, in order. @throws ToolFailure `too_large` if the result would exceed 64 MB. */
export function replaceMatches(
  text: Uint8Array,
  matches: readonly Span[],
  replacement: Replacement,
): Replaced {
  refuseLarge(leastLength(text, matches, replacement));
  const adopts = replacement.adoptsLineEndings && replacement.bytes.includes(NEWLINE);
  const lines = adopts ? linesOf(replacement.bytes) : [replacement.bytes];
  const endings = new LineEndings(text);
  const parts: Uint8Array[] = [];
  const changes: Change[] = [];
  let done = 0;
  let length = 0;
  const add = (part: Uint8Array) => {
    parts.push(part);
    length += part.length;
    refuseLarge(length);
  };
  for (const { start, end } of matches) {
    add(text.subarray(done, start));
    const newStart = length;
    const wanted = adopts ? endings.of({ start, end }, lines.length - 1) : [];
    add(wanted.includes(LONG) ? withEndings(lines, wanted) : replacement.bytes);
    changes.push({ start, end, newStart, newEnd: length });
    done = end;
  }
  add(text.subarray(done));
  return { bytes: joined(parts, length), changes };
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SHORT: Uint8Array = Uint8Array.of(NEWLINE);
const NOTHING: Uint8Array = new Uint8Array(0);
const LONG: Uint8Array = Uint8Array.of(RETURN, NEWLINE);

/** Line endings can only make it longer. */
function leastLength(text: Uint8Array, matches: readonly Span[], { bytes }: Replacement): number {
  return matches.reduce((length, { start, end }) => length + bytes.length - (end - start), text.length);
}

function refuseLarge(length: number): void {
  if (length > MOST_BYTES)
    throw new ToolFailure("too_large", `The file would exceed ${MOST_BYTES} bytes.`, {
      hint: "Replace fewer occurrences, or use a shorter replacement.",
    });
}

/** One part, however many lines it has. */
function withEndings(lines: readonly Uint8Array[], endings: readonly Uint8Array[]): Uint8Array {
  const parts = lines.flatMap((line, index) => [line, endings[index] ?? NOTHING]);
  return joined(
    parts,
    parts.reduce((length, part) => length + part.length, 0),
  );
}

/** Without line endings. */
function linesOf(bytes: Uint8Array): readonly Uint8Array[] {
  const lines: Uint8Array[] = [];
  let start = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, start)) {
    lines.push(bytes.subarray(start, at));
    start = at + 1;
  }
  return [...lines, bytes.subarray(start)];
}

/** The line endings of a text. Ask for parts in order, from first to last. */
class LineEndings {
  readonly #text: Uint8Array;
  #next = 0;
  #last: number | undefined;

  constructor(text: Uint8Array) {
    this.#text = text;
  }

  /**
   * The first `count` line endings within a part of the text; the last one repeats. A part without a line ending takes
   * the one of its own line, and the last line takes the one of the line before.
   */
  of({ start, end }: Span, count: number): readonly Uint8Array[] {
    const found: Uint8Array[] = [];
    for (let at = start; at < end && found.length < count; at += 1)
      if (this.#text[at] === NEWLINE) found.push(this.#at(at));
    const rest = found.at(-1) ?? this.#near(end);
    while (found.length < count) found.push(rest);
    return found;
  }

  #near(end: number): Uint8Array {
    if (this.#next !== -1 && this.#next < end) this.#next = this.#text.indexOf(NEWLINE, end);
    if (this.#next !== -1) return this.#at(this.#next);
    this.#last ??= this.#text.lastIndexOf(NEWLINE);
    return this.#last === -1 ? SHORT : this.#at(this.#last);
  }

  #at(newline: number): Uint8Array {
    return this.#text[newline - 1] === RETURN ? LONG : SHORT;
  }
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
