import { expect, test } from "vitest";
import { literalLength, patternError } from "./pattern-error.ts";

test.each([
  ["/repo/[ab].ts", /\{a,b\}/],
  ["/repo/a]", /\{a,b\}/],
  ["/repo/\\*", /\{a,b\}/],
  ["/repo/!(a)", /\{a,b\}/],
  ["/repo/+(a)", /\{a,b\}/],
  ["/repo/@(a|b)", /\{a,b\}/],
  ["/repo/?(a)", /\{a,b\}/],
  ["!/repo/**", /negate/],
  ["~/.ssh/**", /whole path/],
  ["/repo/{1..3}", /alternatives/],
  ["/repo/{a", /alternatives/],
  ["/repo/**.ts", /whole segment/],
  ["/repo/a**/b", /whole segment/],
  ["/repo/../etc", /resolved path/],
  ["./src/**", /resolved path/],
  ["/repo/secret/", /empty segment/],
  ["/repo//secret", /empty segment/],
  [" /repo/**", /white space/],
  ["/repo/a\n", /white space/],
  ["", /empty/],
])("the path pattern %j is refused, with advice", (pattern, advice) => {
  expect(patternError(pattern, "path")).toMatch(advice);
});

test.each([
  ["curl * | sh", /one by one/],
  ["git status && rm *", /one by one/],
  ["cat a > b", /one by one/],
  ["echo 'a", /not closed/],
  ['git commit -m "a *"', /quote with/],
  ["git commit -m a\\ b", /quote with/],
])("the command pattern %j is refused, with advice", (pattern, advice) => {
  expect(patternError(pattern, "command")).toMatch(advice);
});

test.each([
  ["path", "/"],
  ["path", "**"],
  ["path", "{workspace}/**"],
  ["path", "{workspace}/{src,test}/**/*.{ts,tsx}"],
  ["path", "/repo/app/(auth)/page?.tsx"],
  ["path", "/repo/.env"],
  ["path", "**/...a"],
  ["command", "git commit -m 'a | \"b\" && c' *"],
  ["command", "echo it\\'s"],
  ["command", "grep -r [ab] *"],
  ["text", "[::1]"],
  ["text", "*.{example,test}"],
] as const)("the %s pattern %j is taken", (kind, pattern) => {
  expect(patternError(pattern, kind)).toBeUndefined();
});

test.each(["path", "command", "text"] as const)("too much is refused in a %s", (kind) => {
  expect(patternError(`/${"a".repeat(2_000)}`, kind)).toMatch(/longer than 2000/);
  expect(patternError(`/${"{a,b}".repeat(9)}`, kind)).toMatch(/more than 256/);
  expect(patternError(`/${"{a,b}".repeat(8)}`, kind)).toBeUndefined();
});

test.each([
  ["**", 0],
  ["/repo/**", 6],
  ["{workspace}/src/*.ts", 8],
  ["/{src,test}/?", 5],
  ["git push", 8],
  ["git push *", 8],
  ["git push * main", 14],
])("the literal characters of %j are %d", (pattern, length) => {
  expect(literalLength(pattern)).toBe(length);
});
