const NEWLINE = 0x0a;
/** Longer strings are allocated apart, and enough of them force a full collection. */
const WINDOW = 65_536;
/** How far a window reaches into the next one. The engine may need as many comparisons for each byte. */
export const LONGEST_PART = 64;

/** A text to search. The engine searches strings faster than we search bytes, so bytes become characters, in windows. */
export class SearchedText {
  readonly bytes: Uint8Array;
  #window = { start: 0, narrow: "" };
  #counted = { at: 0, line: 1 };

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** The next offset of a narrow part that is not empty and not longer than `LONGEST_PART`; -1 if there is none. */
  indexOf(part: string, from: number): number {
    for (let at = from; at < this.bytes.length; ) {
      const { start, narrow } = this.#windowAt(at);
      const found = narrow.indexOf(part, at - start);
      if (found !== -1) return start + found;
      at = start + WINDOW;
    }
    return -1;
  }

  /** The number of the line at an offset, from 1. Counts on from the last offset, if that was before this one. */
  lineAt(offset: number): number {
    if (offset < this.#counted.at) this.#counted = { at: 0, line: 1 };
    let { at, line } = this.#counted;
    for (let next = this.indexOf("\n", at); next !== -1 && next < offset; next = this.indexOf("\n", at)) {
      at = next + 1;
      line += 1;
    }
    this.#counted = { at, line };
    return line;
  }

  startOfLine(at: number): number {
    return at === 0 ? 0 : this.bytes.lastIndexOf(NEWLINE, at - 1) + 1;
  }

  /** The offset after its line ending. */
  endOfLine(at: number): number {
    const newline = this.bytes.indexOf(NEWLINE, at);
    return newline === -1 ? this.bytes.length : newline + 1;
  }

  /** The window that an offset is in; only its last `LONGEST_PART` bytes are in the next one too. */
  #windowAt(at: number): { readonly start: number; readonly narrow: string } {
    const start = at - (at % WINDOW);
    if (this.#window.start !== start || this.#window.narrow === "")
      this.#window = { start, narrow: narrowed(this.bytes.subarray(start, start + WINDOW + LONGEST_PART)) };
    return this.#window;
  }
}

/** One distinct character for each byte value. */
export function narrowed(bytes: Uint8Array): string {
  return NARROW.decode(bytes);
}

const NARROW = new TextDecoder("latin1");
