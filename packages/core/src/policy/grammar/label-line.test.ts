import { describe, expect, test } from "vitest";
import { compilePolicy } from "../compile-policy.ts";
import { ruleText } from "../rules/compile-rule.ts";
import { parseRule } from "./parse-rule.ts";

const PLACE = { file: "policy.yaml", line: 7, column: 5, home: "/home/user", scope: "project" } as const;

describe("a line that labels paths", () => {
  test.each([
    ['label private "customers/**"', "private", "{workspace}/customers/**"],
    ["label private customers", "private", "{workspace}/customers"],
    ['label untrusted "vendor/**"', "untrusted", "{workspace}/vendor/**"],
    ['label private "**/*.csv"', "private", "**/*.csv"],
    ['label private "~/notes/**"', "private", "/home/user/notes/**"],
    ['  label private "/srv/data/**"', "private", "/srv/data/**"],
  ])("%s", (line, label, pattern) => {
    const { rules } = parseRule(line, PLACE) as { rules: readonly object[] };
    expect(rules).toEqual([
      { permission: "fs.read", action: "ask", label, pattern, scope: "project", at: "policy.yaml:7" },
    ]);
  });

  test("keeps its reason", () => {
    expect(parseRule('label private "a/**" because "contracts"')).toMatchObject({
      rules: [{ label: "private", because: "contracts" }],
    });
  });

  test.each([
    ["label", "The label is missing.", 10],
    ["label secret a/**", 'A label is private or untrusted, not "secret".', 11],
    ['label "private" a', 'A label is private or untrusted, not "private".', 11],
    ["label privat a", "A label is private or untrusted", 11],
    ["label private", "A label needs a path.", 18],
    ['label private ""', "The pattern is empty.", 20],
    ['label private "a" if sandboxed', 'Unexpected "if".', 23],
    ['label private "a" never-remember', 'Unexpected "never-remember".', 23],
    ['label private "a" because "b" because "c"', 'Unexpected "because".', 35],
    ['label private "../a"', "A path pattern cannot contain `..`.", 20],
  ])("%s is an error", (line, message, column) => {
    expect(parseRule(line, PLACE)).toMatchObject({
      diagnostic: { code: "invalid_rule", message: expect.stringContaining(message), line: 7, column },
    });
  });

  test("suggests the word that was meant", () => {
    expect(parseRule("label privat a")).toMatchObject({ diagnostic: { hint: "Did you mean `private`?" } });
  });

  test("is written as it is read", () => {
    const [rule] = (parseRule('label private "/srv/**"') as { rules: readonly never[] }).rules;
    expect(ruleText(rule as never)).toBe('label private "/srv/**"');
    expect(parseRule(ruleText(rule as never))).toEqual({ rules: [rule] });
  });
});

describe("the object form", () => {
  const rule = { permission: "fs.read", action: "ask", pattern: "/srv/**", label: "private" } as const;

  test("is accepted", () => {
    expect(compilePolicy({ rules: [rule] }).definition.rules).toEqual([rule]);
  });

  test.each([
    [{ ...rule, label: "secret" }, "its label is private or untrusted"],
    [{ ...rule, action: "deny" }, "a label has the permission fs.read"],
    [{ ...rule, permission: "fs.write" }, "a label has the permission fs.read"],
    [{ ...rule, if: ["sandboxed"] }, "no conditions"],
  ])("%j is refused", (wrong, message) => {
    expect(() => compilePolicy({ rules: [wrong as never] })).toThrow(message);
  });
});
