import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findMatches } from "./find-matches.ts";
import { matchLinearly, type Wanted } from "./match-linearly.ts";
import { narrowed, SearchedText } from "./searched-text.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

describe("both matchers give the same result", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r"), maxLength: 60 });
  const wanted = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r"), minLength: 1, maxLength: 5 });

  test.each([
    ["with any line ending", true],
    ["with the exact line ending", false],
  ])("%s", (_name, anyLineEnding) => {
    let found = 0;
    fc.assert(
      fc.property(text, wanted, fc.boolean(), (within, what, mayOverlap) => {
        const bytes = bytesOf(anyLineEnding ? what.replaceAll("\r\n", "\n") : what);
        const asked: Wanted = { bytes, anyLineEnding, mayOverlap, most: 100 };
        const matches = findMatches(new SearchedText(bytesOf(within)), asked);
        expect(matches).toEqual(matchLinearly(bytesOf(within), asked));
        found += matches.length;
      }),
      { numRuns: 5_000 },
    );
    expect(found).toBeGreaterThan(500);
  });
});

test("stops at the requested number of matches", () => {
  const asked: Wanted = { bytes: bytesOf("a"), anyLineEnding: true, mayOverlap: false, most: 3 };
  expect(findMatches(new SearchedText(bytesOf("aaaaa")), asked)).toHaveLength(3);
});

test.each([
  ["one character over and over", "a".repeat(2_000_000), `b${"a".repeat(50_000)}`],
  ["lines over and over", "ab\n".repeat(700_000), `${"ab\n".repeat(20_000)}b`],
])("takes linear time for %s", (_name, within, what) => {
  const began = process.threadCpuUsage().user;
  const asked: Wanted = { bytes: bytesOf(what), anyLineEnding: true, mayOverlap: true, most: 10 };
  expect(findMatches(new SearchedText(bytesOf(within)), asked)).toEqual([]);
  // A naive search would take more than a minute.
  expect(process.threadCpuUsage().user - began).toBeLessThan(30_000_000);
});

test("never confuses two byte values", () => {
  const all = Uint8Array.from({ length: 256 }, (_, index) => index);
  const narrow = narrowed(all);
  expect(narrow).toHaveLength(256);
  expect(new Set(narrow).size).toBe(256);
  expect([narrow[10], narrow[13]]).toEqual(["\n", "\r"]);
});
