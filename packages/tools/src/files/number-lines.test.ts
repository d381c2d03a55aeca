import { harmlessText } from "@toolkeep/core/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type NumberOptions, numberEachLine } from "./number-each-line.ts";
import { numberLines } from "./number-lines.ts";

const OPTIONS: NumberOptions = {
  first: 1,
  most: Number.POSITIVE_INFINITY,
  lineBytes: 60,
  outBytes: 10_000,
  base: 0,
  isEnd: true,
};

const HIDING = ["\u202e", "\u200d", "\ufe0f", "\x1b[31m", "\x1b[0m", "\x1b", "\u{e0041}"];

test("both ways to number lines give the same result", () => {
  const plain = ["a", "é", "☕", "🍵", "\n", "\r\n", "0123456789".repeat(3)];
  const pieces = (from: readonly string[]) => fc.array(fc.constantFrom(...from), { maxLength: 40 });
  const text = fc
    .oneof(pieces(plain), pieces([...plain, "\r", "\0", ...HIDING]))
    .map((parts) => new TextEncoder().encode(parts.join("")));
  const options = fc.record({ first: fc.constantFrom(1, 99_999, 999_999), isEnd: fc.boolean() });
  fc.assert(
    fc.property(text, options, (bytes, more) => {
      // Bytes after the last complete line are ignored.
      fc.pre(bytes.length > 0 && (more.isEnd || !bytes.includes(0)));
      const asked = { ...OPTIONS, ...more };
      const each = numberEachLine(bytes, asked);
      expect(numberLines(bytes, asked)).toEqual(each && { ...each, text: harmlessText(each.text) });
    }),
    { numRuns: 5_000 },
  );
});

test("numbered lines hide nothing", () => {
  const bytes = new TextEncoder().encode("a\u202eb\r\n\x1b[31mred\x1b[0m\rcaf\u00e9");
  expect(numberLines(bytes, OPTIONS)?.text).toBe("     1\ta<U+202E>b\n     2\tred\\rcaf\u00e9");
});

test("bytes that are not UTF-8 have no lines", () => {
  expect(numberLines(Uint8Array.of(0x61, 0xff), OPTIONS)).toBeUndefined();
  expect(numberLines(Uint8Array.of(0x61, 0), OPTIONS)).toBeUndefined();
});
