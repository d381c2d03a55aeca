import { expect, test } from "vitest";
import type { Rule } from "../../contract/policy/rule.ts";
import { rulesFor } from "./rules-for.ts";

const deny = (...conditions: NonNullable<Rule["if"]>): Rule => ({
  ...{ permission: "pay", action: "deny" },
  if: conditions,
});

test("what rules say about a principal is decided, and the rest of their conditions stays", () => {
  const rules: readonly Rule[] = [
    { permission: "read", action: "allow" },
    deny("group interns"),
    deny("not group finance", "untrusted"),
    deny("user ada", "environment production"),
    deny("not user ada"),
    deny("private"),
  ];
  const found = rulesFor({ user: "ada", groups: ["interns"] }, rules);
  expect(found).toEqual([rules[0], deny(), deny("untrusted"), rules[5]]);
});

test("a principal without a user is in no group", () => {
  expect(rulesFor({}, [deny("group a"), deny("not group a")])).toEqual([deny()]);
});
