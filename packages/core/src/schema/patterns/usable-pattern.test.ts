import { expect, test } from "vitest";
import { compileValidator } from "../compile-validator.ts";
import { isUsablePattern, patternSize } from "./usable-pattern.ts";

test.each([
  "^[a-z0-9-]{1,60}$",
  "^#(?:[0-9a-fA-F]{3}){1,2}$",
  "^(?:[0-9a-f]{4}){200}$",
  "^(?:\\{[0-9a-fA-F]{4}(?:-?[0-9a-fA-F]{4}){7}\\}|[{]x{3}[}])$",
  "^(?!.*\\.\\.)(?=a)[a-z.]+$",
  "\\bword\\b",
  "\\p{L}\\P{Lu}",
  "[a\\]]b\\b",
  "a{1000}",
])("%s can be matched, and the engine takes it", async (pattern) => {
  expect(isUsablePattern(pattern)).toBe(true);
  expect(await isTaken(pattern)).toBe(true);
});

test.each([
  "^([a-z0-9-]{1,60}(,[a-z0-9-]{1,60}){0,99})?$",
  "a{1001}",
  "((a{10}){11}){12}",
  "(?<=x)y",
  "(a)\\1",
  "(unclosed",
  "\\p{Script=Greek}",
  "\\p{Letter}",
  "[\\b]",
])("%s cannot be matched, and the engine refuses it", async (pattern) => {
  expect(isUsablePattern(pattern)).toBe(false);
  expect(await isTaken(pattern)).toBe(false);
});

test.each([
  ["b(a{10}){20}c", 202],
  ["^(?=x{7})[a-z]{3,5}\\d{2}$", 19],
  ["(?:.{990}|x)", 994],
] as const)("%s has %i parts once it is written out", (pattern, size) => {
  expect(patternSize(pattern)).toBe(size);
});

test("a short pattern that would be large once it is written out is not matched", () => {
  expect(isUsablePattern(`^${"(?:.{990}|x)".repeat(3)}`)).toBe(true);
  expect(isUsablePattern(`^${"(?:.{990}|x)".repeat(300)}`)).toBe(false);
});

test.each(["(?:x{2,}){600}", "x".repeat(5_000), 7, undefined])("%s is not matched either", (pattern) => {
  expect(isUsablePattern(pattern)).toBe(false);
});

async function isTaken(pattern: string): Promise<boolean> {
  return compileValidator({ type: "string", pattern }).then(
    () => true,
    () => false,
  );
}
