import { expect, test } from "vitest";
import { checkPolicy } from "./check-policy.ts";
import { formatDiagnostic } from "./policy-file.ts";

function warningsOf(...lines: readonly string[]): readonly string[] {
  const { diagnostics, warnings } = checkPolicy(["version: 1", ...lines].join("\n"), { file: "policy.yaml" });
  expect(diagnostics).toEqual([]);
  return warnings.map(formatDiagnostic);
}

test.each([
  [["rules: [allow fs.read src/**, allow fs.read ./src/**]"], "2:31", "the one in line 2"],
  [["rules: [deny fs.* secrets/**, allow fs.read secrets/public/**]"], "2:31", "never applies"],
  [['rules: [deny shell.run "git *", ask shell.run "git push *"]'], "2:33", "never applies"],
  [["rules: [ask deploy, allow deploy if group release]"], "2:21", "never applies"],
  [["rules: [allow deploy if group release, ask deploy]"], "2:9", "never applies"],
  [["rules: [ask deploy if trusted, allow deploy if trusted and group release]"], "2:32", "never applies"],
  [["rules: [deny fs.write, allow fs.write src/** if sandboxed]"], "2:24", "Narrow the deny"],
  [["extends: [toolkeep:recommended]", "rules: [ask fs.delete **/.git/**]"], "3:9", "(toolkeep:recommended)"],
  [["rules: ['allow *']"], "2:9", "allows everything"],
  [["rules: [allow shell.run]"], "2:9", "every shell.run"],
  [["rules: [allow fs.write /**]"], "2:9", "every fs.write"],
  [["rules: [deny bahs]"], "2:9", "Did you mean `bash`?"],
  [["mode: yolo"], "2:1", "never asks"],
  [["mode: observe"], "2:1", "blocks nothing"],
  [["allow-list: [read]"], "2:1", "only in the mode allowlist"],
  [["watchdogs: { secrets: off }"], "2:1", "secrets is off"],
])("%j", (lines, position, expected) => {
  const warnings = warningsOf(...lines);
  const isExpected = (warning: string) =>
    warning.includes(`policy.yaml:${position}: `) && warning.includes(expected);
  expect(warnings.map(isExpected)).toEqual([true]);
});

test.each([
  ["deny fs.wirte src/**", "fs.write"],
  ['deny shell.rum "npm *"', "shell.run"],
  ["deny net.fecth x.example", "net.fetch"],
  ["deny git.psuh", "git.push"],
  ["allow fs.wrte src/**", "fs.write"],
])("a permission that does not exist is an error: %s", (rule, meant) => {
  const { diagnostics } = checkPolicy(`version: 1\nrules:\n  - '${rule}'\n`, { file: "policy.yaml" });
  expect(diagnostics.map(({ message }) => message).join()).toContain(`did you mean \`${meant}\`?`);
});

test("`mode: allow` suggests no mode that permits more", () => {
  for (const mode of ["allow", "all", "yol"]) {
    const { diagnostics } = checkPolicy(`version: 1\nmode: ${mode}\n`, { file: "policy.yaml" });
    expect(JSON.stringify(diagnostics)).not.toContain("Did you mean `yolo`");
    expect(diagnostics).toHaveLength(1);
  }
});

test("there is no warning for rules that make sense", () => {
  expect(
    warningsOf(
      "extends: [toolkeep:recommended]",
      "rules:",
      "  - allow fs.write src/**",
      "  - deny fs.write src/generated/**",
      "  - deny fs.read /etc/** if untrusted",
      "  - allow fs.read /etc/hosts",
      '  - deny shell.run "git push *"',
      '  - allow shell.run "git *"',
      '  - allow shell.run "gitk *"',
      "  - allow calendar.read",
      "  - allow fs.read",
    ),
  ).toEqual([]);
});

test("an invalid file still gets warnings for its valid rules", () => {
  const { diagnostics, warnings, file } = checkPolicy("version: 1\nrules: ['allow *', alow]", {
    file: "policy.yaml",
  });
  expect([diagnostics.length, warnings.length, file.definition]).toEqual([1, 1, undefined]);
});
