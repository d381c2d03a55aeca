import { readSync } from "node:fs";
import type { HeldFile } from "./opened-file.ts";

/** The text of one file, as ripgrep counts it: without its mark, and in UTF-8. */
export interface SeenText extends Disposable {
  /** Whether the text has these bytes at an offset. */
  holds(bytes: Buffer, offset: number): boolean;
}

export interface SeenTextOptions {
  /** Of a text that must be decoded, so many bytes are looked at. */
  readonly mostBytes: number;
  /** To read into. No other text may use it until this one is disposed of. */
  readonly scratch: Buffer;
}

/** How large a scratch should be. */
export const WINDOW = 65_536;

/**
 * Looks whether what was found in a file is there. Ripgrep goes by names, and a folder may become a link under
 * it; what is shown must be in the file that a descriptor says it is in. Closes the file in the end.
 */
export function seenText(file: HeldFile, { mostBytes, scratch }: SeenTextOptions): SeenText {
  try {
    const { descriptor } = file;
    const head = scratch.subarray(0, readSync(descriptor, scratch, 0, scratch.length, 0));
    const encoding = WIDE[head.toString("hex", 0, 2)];
    const source =
      encoding === undefined
        ? windowOn(descriptor, { scratch, head, shift: head.toString("hex", 0, 3) === "efbbbf" ? 3 : 0 })
        : decoded(descriptor, Math.min(file.size, mostBytes), encoding);
    return {
      holds: (bytes, offset) => source(offset, bytes.length).equals(bytes),
      [Symbol.dispose]: () => file[Symbol.dispose](),
    };
  } catch (error) {
    file[Symbol.dispose]();
    throw error;
  }
}

const WIDE: Readonly<Record<string, "utf-16le" | "utf-16be">> = { fffe: "utf-16le", feff: "utf-16be" };

type Slice = (offset: number, length: number) => Buffer;

interface FirstLook {
  readonly scratch: Buffer;
  /** What the file begins with, in the scratch. */
  readonly head: Buffer;
  /** How many bytes stand before the text. */
  readonly shift: number;
}

/** Matches come in order: one read serves many. */
function windowOn(descriptor: number, { scratch, head, shift }: FirstLook): Slice {
  let start = 0;
  let window = head;
  return (offset, length) => {
    const from = offset + shift;
    if (from < start || from + length > start + window.length) {
      const bytes = length > scratch.length ? Buffer.allocUnsafe(length) : scratch;
      window = bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, from));
      start = from;
    }
    return window.subarray(from - start, from - start + length);
  };
}

function decoded(descriptor: number, size: number, encoding: "utf-16le" | "utf-16be"): Slice {
  const bytes = Buffer.allocUnsafe(size);
  const filled = readSync(descriptor, bytes, 0, size, 0);
  const text = Buffer.from(new TextDecoder(encoding).decode(bytes.subarray(0, filled)));
  return (offset, length) => text.subarray(offset, offset + length);
}
