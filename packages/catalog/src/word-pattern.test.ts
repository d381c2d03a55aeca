import { expect, it } from "vitest";
import { patternOf } from "./word-pattern.ts";

it.each([
  ["get", ["get"], ["gets", "forget", ""]],
  ["get-*", ["get-", "get-x", "get-x-y"], ["get", "forget-x"]],
  ["*secret*", ["secret", "my-secrets"], ["secre"]],
  ["a*b*a", ["aba", "axbya", "abba"], ["aa", "ab", "aab"]],
  ["aa*aa", ["aaaa", "aaxaa"], ["aaa", "aa"]],
  ["a.b", ["a.b"], ["axb"]],
])("%s", (pattern, fitting, others) => {
  const { test } = patternOf(pattern);
  expect(fitting.filter((word) => !test(word))).toEqual([]);
  expect(others.filter(test)).toEqual([]);
});
