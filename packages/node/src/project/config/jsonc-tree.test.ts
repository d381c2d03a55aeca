import { expect, test } from "vitest";
import { plainValue, positionOf, readJsonc } from "./jsonc-tree.ts";

function nested(levels: number): string {
  return `${"[".repeat(levels)}${"]".repeat(levels)}`;
}

test("comments, trailing commas and a byte order mark are read", () => {
  const { root } = readJsonc('\uFEFF{\n// the first\n"a": [1, { "b": null, }],\n}');
  if (root === undefined) throw new Error("It was refused.");
  expect(plainValue(root)).toEqual({ a: [1, { b: null }] });
  expect(positionOf(root, ["a", 1, "b"])).toMatchObject({ line: 3 });
  expect(positionOf(root, ["a", "missing"])).toMatchObject({ line: 3 });
});

test.each([
  ['{\n"a": 1,\n"a": 2 }', "occurs twice", 3],
  ['{ "__proto__": 1 }', "not allowed", 1],
  ['{\n"a": }', "not JSON", 2],
  ["", "empty", 1],
  [nested(101), "nested too deeply", 1],
  [nested(3_000), "nested too deeply", 1],
  [nested(200_000), "nested too deeply", 1],
  [`${'{"a":'.repeat(3_000)}1${"}".repeat(3_000)}`, "nested too deeply", 1],
])("invalid text is reported and never thrown (%#)", (text, message, line) => {
  const { root, errors } = readJsonc(text);
  expect(root).toBeUndefined();
  expect(errors[0]).toMatchObject({ message: expect.stringContaining(message), position: { line } });
});

test("a hundred levels and long lists are read", () => {
  expect(readJsonc(nested(100)).root).toBeDefined();
  const { root } = readJsonc(`[${"1,".repeat(400_000)}1]`);
  expect(root?.kind === "list" && root.items.length).toBe(400_001);
});

test("positions are found in time linear in the file", () => {
  const text = `{\n${"\n".repeat(400_000)}"a": [${Array.from({ length: 20_000 }, () => "1").join(",\n")}]}`;
  const { root } = readJsonc(text);
  if (root === undefined) throw new Error("It was refused.");
  const start = performance.now();
  const lines = Array.from({ length: 20_000 }, (_, index) => positionOf(root, ["a", index]).line);
  // A scan of 400,000 lines for each of 20,000 positions takes minutes.
  expect(performance.now() - start).toBeLessThan(20_000);
  expect(lines.at(-1)).toBe(400_002 + 19_999);
});
