import { expect, test } from "vitest";
import { addRule } from "./add-rule.ts";
import { parsePolicy } from "./parse-policy.ts";

const LINE = 'allow shell.run "npm test *"';

const lastRule = (text: string) => {
  const { diagnostics, ownRules } = parsePolicy(text, { file: "policy.yaml", home: "/home/u" });
  expect(diagnostics).toEqual([]);
  return ownRules.at(-1)?.rule;
};

test.each([
  ["one rule", "version: 1\nrules:\n  - deny git.push\n"],
  ["no final line break", "version: 1\nrules:\n  - deny git.push"],
  [
    "comments, blank lines and keys after the rules",
    "# mine\nversion: 1   # one\n\nrules:\n\n  # about pushing\n  - deny git.push  # never\n\n# later\nwatchdogs:\n    loop: 5\n",
  ],
  ["items without indentation", "version: 1\nrules:\n- deny git.push\nmode: ask\n"],
  ["quoted items", "version: 1\nrules:\n    - 'deny git.push'\n    - \"ask fs.delete\"\n"],
])("adds a rule to a file with %s, and changes nothing else", (_what, text) => {
  const added = addRule(text, LINE);
  expect(lastRule(added)).toMatchObject({ permission: "shell.run", pattern: "npm test *", action: "allow" });
  const lines = added.split("\n").filter((line) => !line.includes(LINE));
  expect(lines).toEqual(text.split("\n"));
});

test.each([
  ["no file", undefined],
  ["an empty file", "\n"],
  ["no rules", "version: 1\nextends: [toolkeep:recommended]\n"],
  ["an empty list", "version: 1\nrules: []\n"],
  ["no value", "version: 1\nrules:\n"],
  ["a list in brackets", "version: 1\nrules: [deny git.push]\n"],
])("adds a rule where there is %s", (_what, text) => {
  expect(lastRule(addRule(text, LINE))).toMatchObject({ permission: "shell.run", pattern: "npm test *" });
});

test("a rule with characters that mean something in YAML stays that rule", () => {
  const line = 'allow mcp:docs:get_* because "it\'s fine: # really"';
  expect(lastRule(addRule("version: 1\nrules:\n  - deny git.push\n", line))).toMatchObject({
    permission: "mcp:docs:get_*",
    because: "it's fine: # really",
  });
});

test("an invalid file is left as it is", () => {
  for (const text of ["rules: [", "- a\n", "version: 1\nrules: 5\n"]) expect(addRule(text, LINE)).toBe(text);
});
