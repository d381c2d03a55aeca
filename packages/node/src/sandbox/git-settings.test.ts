import { expect, test } from "vitest";
import { gitSettings } from "./git-settings.ts";

test.each([
  ["[core]\n\thooksPath = a/b # ours", "core.hookspath", "a/b"],
  ['[core] hookspath="a b;c"', "core.hookspath", "a b;c"],
  ['[includeIf "gitdir:~/x]"]\r\n path=../y', "includeif.path", "../y"],
  ["[CORE]\nHooksPath=a\\\n/b", "core.hookspath", "a/b"],
  ['[include]\npath = "a\\\\b\\"c"', "include.path", 'a\\b"c'],
  ["[core.sub]\nhookspath=x", "core.hookspath", "x"],
])("%j says %s", (text, name, value) => {
  expect(gitSettings(text)).toEqual([{ name, value }]);
});

test("what is no setting is left out", () => {
  expect(gitSettings("# [core]\n; hookspath=x\n[core]\nbare\n[broken\n=x\n")).toEqual([]);
});
