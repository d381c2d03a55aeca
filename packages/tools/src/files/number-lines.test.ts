import fc from "fast-check";
import { expect, test } from "vitest";
import { numberEachLine } from "./number-each-line.ts";
import { type NumberOptions, numberLines } from "./number-lines.ts";

const OPTIONS: NumberOptions = {
  first: 1,
  most: Number.POSITIVE_INFINITY,
  lineBytes: 60,
  outBytes: 10_000,
  base: 0,
  isEnd: true,
};

test("both ways to number lines give the same result", () => {
  const piece = fc.constantFrom("a", "é", "☕", "🍵", "\n", "\r\n", "\r", "0123456789".repeat(3), "\0");
  const text = fc.array(piece, { maxLength: 40 }).map((pieces) => new TextEncoder().encode(pieces.join("")));
  const options = fc.record({ first: fc.constantFrom(1, 99_999, 999_999), isEnd: fc.boolean() });
  fc.assert(
    fc.property(text, options, (bytes, more) => {
      // Bytes after the last complete line are ignored.
      fc.pre(bytes.length > 0 && (more.isEnd || !bytes.includes(0)));
      const asked = { ...OPTIONS, ...more };
      expect(numberLines(bytes, asked)).toEqual(numberEachLine(bytes, asked));
    }),
    { numRuns: 5_000 },
  );
});

test("bytes that are not UTF-8 have no lines", () => {
  expect(numberLines(Uint8Array.of(0x61, 0xff), OPTIONS)).toBeUndefined();
  expect(numberLines(Uint8Array.of(0x61, 0), OPTIONS)).toBeUndefined();
});
