import { expect, test } from "vitest";
import { stemWord } from "./stem-word.ts";

test.each([
  ["files", "file"],
  ["queries", "query"],
  ["searches", "search"],
  ["running", "run"],
  ["calling", "call"],
  ["deleted", "delete"],
  ["translation", "translate"],
  ["translator", "translating"],
  ["converter", "convert"],
  ["payments", "payment"],
])("%s and %s have the same stem", (one, other) => {
  expect(stemWord(one)).toBe(stemWord(other));
});

test.each([
  ["status", "state"],
  ["address", "add"],
  ["order", "or"],
  ["string", "str"],
  ["news", "need"],
  ["user", "us"],
])("%s and %s have different stems", (one, other) => {
  expect(stemWord(one)).not.toBe(stemWord(other));
});

test("short words, numbers and other scripts stay unchanged", () => {
  for (const word of ["css", "2026", "s3", "файлы", "天气", ""]) expect(stemWord(word)).toBe(word);
});
