import { expect, test } from "vitest";
import { readJsonc } from "./read-jsonc.ts";

const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

test("places have their lines, also what is not there", () => {
  const read = readJsonc('\uFEFF{\n// words\n"a": {\n"b": [1,\n2],\n},\n}');
  if ("error" in read) throw new Error(read.error);
  expect(read.value).toEqual({ a: { b: [1, 2] } });
  expect(
    [[], ["a"], ["a", "b"], ["a", "b", 1], ["a", "none"], ["none"]].map((path) => read.lineOf(path)),
  ).toEqual([1, 3, 4, 5, 3, 1]);
});

test.each([
  ['{\n"a": 1,\n"a": 2 }', "there twice", 3],
  ['{ "__proto__": 1 }', "not possible", 1],
  ['{\n"a": }', "no JSON", 2],
  ["", "empty", 1],
  [nested(101), "nested too deeply", 1],
  [nested(3_000), "nested too deeply", 1],
  [nested(200_000), "nested too deeply", 1],
  [`${'{"a":'.repeat(3_000)}1${"}".repeat(3_000)}`, "nested too deeply", 1],
])("invalid text is reported and never thrown (%#)", (text, errorText, line) => {
  expect(readJsonc(text)).toEqual({ error: expect.stringContaining(errorText), line });
});

test("a hundred levels and long lists are read", () => {
  expect(readJsonc(nested(100))).toHaveProperty("value");
  const list = readJsonc(`[${"1,".repeat(400_000)}1]`);
  expect("value" in list && Array.isArray(list.value) && list.value.length).toBe(400_001);
});

test("lines are found in time in proportion to the file, however many are asked for", () => {
  const text = `{\n${"\n".repeat(400_000)}"a": [${Array.from({ length: 2_000 }, () => "1").join(",\n")}]}`;
  const read = readJsonc(text);
  if ("error" in read) throw new Error(read.error);
  const start = performance.now();
  const lines = Array.from({ length: 2_000 }, (_, index) => read.lineOf(["a", index]));
  // Each by itself would go through 400,000 lines: 2,000 times that takes many seconds.
  expect(performance.now() - start).toBeLessThan(1_000);
  expect(lines.at(-1)).toBe(400_002 + 1_999);
});
