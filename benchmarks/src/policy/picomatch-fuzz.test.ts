import { expect, test } from "vitest";
import { compileGlob } from "../../../packages/core/src/policy/patterns/compile-glob.ts";
import { fuzzPaths } from "./picomatch-fuzz.ts";

test("path patterns mean what they mean to picomatch", () => {
  const outcome = fuzzPaths(compileGlob, { pairs: 20_000, seed: 1 });
  expect(outcome.examples).toEqual([]);
  expect(outcome.differences).toBe(0);
  expect(outcome.matched).toBeGreaterThan(500);
});

test("the comparison finds a pattern that means something else", () => {
  const never = { matches: () => false, mayMatch: () => false };
  expect(fuzzPaths(() => never, { pairs: 2_000, seed: 1 }).differences).toBeGreaterThan(50);
  const wide = (pattern: string) => ({ matches: compileGlob(pattern).matches, mayMatch: () => true });
  expect(fuzzPaths(wide, { pairs: 2_000, seed: 1 }).differences).toBeGreaterThan(50);
});
