import { readSync } from "node:fs";
import type { OpenedFile } from "./opened-file.ts";

/** The text of one file, as ripgrep counts it: without its mark, and in UTF-8. */
export interface SeenText extends Disposable {
  /** Whether the text has these bytes at an offset. */
  holds(bytes: Buffer, offset: number): boolean;
}

/**
 * Looks whether what was found in a file is there. Ripgrep goes by names, and a folder may become a link under
 * it; what is shown must be in the file that a descriptor says it is in. Closes the file in the end.
 */
export function seenText(file: OpenedFile, mostBytes: number): SeenText {
  try {
    const mark = Buffer.alloc(3);
    readSync(file.descriptor, mark, 0, 3, 0);
    const encoding = WIDE[mark.toString("hex", 0, 2)];
    const source =
      encoding === undefined
        ? windowOn(file.descriptor, mark.toString("hex") === "efbbbf" ? 3 : 0)
        : decoded(file.descriptor, Math.min(Number(file.stats.size), mostBytes), encoding);
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
const WINDOW = 65_536;

type Slice = (offset: number, length: number) => Buffer;

/** Matches come in order: one read serves many. */
function windowOn(descriptor: number, shift: number): Slice {
  let start = 0;
  let window: Buffer = Buffer.alloc(0);
  return (offset, length) => {
    if (offset < start || offset + length > start + window.length) {
      const bytes = Buffer.allocUnsafe(Math.max(length, WINDOW));
      window = bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, offset + shift));
      start = offset;
    }
    return window.subarray(offset - start, offset - start + length);
  };
}

function decoded(descriptor: number, size: number, encoding: "utf-16le" | "utf-16be"): Slice {
  const bytes = Buffer.allocUnsafe(size);
  const filled = readSync(descriptor, bytes, 0, size, 0);
  const text = Buffer.from(new TextDecoder(encoding).decode(bytes.subarray(0, filled)));
  return (offset, length) => text.subarray(offset, offset + length);
}
