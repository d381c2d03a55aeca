import fc from "fast-check";
import { expect, test } from "vitest";
import { harmlessText, terminalText } from "./harmless-text.ts";

const DIRECTIONS = [0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2069];
const INVISIBLE = [
  0x00ad, 0x200b, 0x2060, 0x2063, 0xfeff, 0x3164, 0xe0001, 0xe0069, 0xe007f, 0xe0100, 0xfe00,
];

test("marks of direction, zero-width characters, tags and selectors are written out by their numbers", () => {
  for (const code of [...DIRECTIONS, ...INVISIBLE]) {
    const shown = harmlessText(`a${String.fromCodePoint(code)}b`);
    expect(shown).toMatch(/^a(?:<U\+[0-9A-F]{4,5}>|\\x[0-9a-f]{2})b$/);
  }
});

test("colours are left out; every other sequence of a terminal is written out", () => {
  expect(harmlessText("\u001b[1;31mred\u001b[0m")).toBe("red");
  expect(harmlessText("\u001b[2J\u001b]52;c;x\u0007\u009b1A\b\0")).toBe(
    "\\x1b[2J\\x1b]52;c;x\\x07\\x9b1A\\x08\\x00",
  );
});

test("lines, tabs, emoji and scripts that join their letters stay as they are", () => {
  const texts = [
    "a\tb\nc",
    "\u2714\uFE0F done \u26A0\uFE0F",
    "\u{1F469}\u200D\u{1F4BB} \u{1F3F3}\uFE0F\u200D\u{1F308} \u{1F44D}\u{1F3FD}",
    "\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645",
    "\u0915\u094D\u200D\u0937",
    "\u00e4\u6f22\u5b57\u{1F600}",
  ];
  for (const text of texts) expect(harmlessText(text)).toBe(text);
});

test("a joiner or a selector that joins and selects nothing is written out", () => {
  expect(harmlessText("r\u200dm")).toBe("r<U+200D>m");
  expect(harmlessText("\u2714\uFE0F\uFE0F\uFE0E")).toBe("\u2714\uFE0F<U+FE0F><U+FE0E>");
});

test("what a terminal would write over stands in lines of its own", () => {
  expect(terminalText("10%\r50%\r100%\r\ndone\r\n")).toBe("10%\n50%\n100%\ndone\n");
});

test("nothing is left to hide, and what was written out is not written out again", () => {
  const hiding = fc.string({
    unit: fc.constantFrom("a", "\n", "\u001b", "[", "m", "\r", "\u202e", "\u{e0041}", "\ud800"),
  });
  fc.assert(
    fc.property(fc.oneof(hiding, fc.string({ unit: "binary" })), (text) => {
      const shown = harmlessText(text);
      expect(harmlessText(shown)).toBe(shown);
      expect(shown.isWellFormed()).toBe(true);
      expect(shown).not.toMatch(/(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u);
    }),
  );
});
