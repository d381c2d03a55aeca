import type { Rule } from "@toolkeep/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { joinedRules, rememberedRules } from "../packages/core/src/policy/rules/joined-rules.ts";
import { RuleEvaluator } from "../packages/core/src/policy/rules/rule-evaluator.ts";
import { compileRules, type RuleSet } from "../packages/core/src/policy/rules/rule-set.ts";
import * as arbitrary from "./policy/arbitrary.ts";

const VARIABLES = { workspace: ["/ws"] };
const numRuns = Number(process.env["TOOLKEEP_RUNS"] ?? 1_000);

type Evaluated = Parameters<RuleEvaluator["decide"]>[0];

const decisionBy = (rules: RuleSet, { call, context }: Pick<Evaluated, "call" | "context">) =>
  new RuleEvaluator(rules).decide({ call, context, trace: undefined });

test("rules that are joined decide as rules that are compiled together", () => {
  fc.assert(
    fc.property(
      arbitrary.rules,
      arbitrary.rules,
      arbitrary.call,
      arbitrary.context,
      (some, more, call, context) => {
        const together = compileRules([...some, ...more], VARIABLES);
        const joined = joinedRules(compileRules(some, VARIABLES), compileRules(more, VARIABLES));
        expect(decisionBy(joined, { call, context })).toEqual(decisionBy(together, { call, context }));
      },
    ),
    { numRuns },
  );
});

test("remembered rules decide as rules that are compiled anew", () => {
  fc.assert(
    fc.property(arbitrary.rules, arbitrary.call, arbitrary.context, (rules, call, context) => {
      const first = rememberedRules(rules, VARIABLES);
      expect(rememberedRules(structuredClone(rules), VARIABLES)).toBe(first);
      const anew = compileRules(rules, VARIABLES);
      expect(decisionBy(first, { call, context })).toEqual(decisionBy(anew, { call, context }));
    }),
    { numRuns: Math.min(numRuns, 5_000) },
  );
});

test("a rule that was changed, other variables and another order are other rules", () => {
  const rule: { -readonly [Key in keyof Rule]: Rule[Key] } = {
    permission: "fs.read",
    pattern: "{workspace}/a",
    action: "allow",
  };
  const other: Rule = { permission: "fs.read", pattern: "/b", action: "deny" };
  const first = rememberedRules([rule, other], VARIABLES);
  expect(rememberedRules([rule, other], VARIABLES)).toBe(first);
  expect(rememberedRules([other, rule], VARIABLES)).not.toBe(first);
  expect(rememberedRules([rule, other], { workspace: ["/other"] })).not.toBe(first);
  rule.action = "deny";
  expect(rememberedRules([rule, other], VARIABLES)).not.toBe(first);
});

test("a rule that JSON does not tell from a valid one is still refused", () => {
  const valid: Rule = { permission: "fs.read", pattern: "/a", action: "allow" };
  rememberedRules([valid], VARIABLES);
  const disguised = { ...valid, action: "nonsense", toJSON: () => valid } as unknown as Rule;
  expect(() => rememberedRules([disguised], VARIABLES)).toThrow();
  const hidden = { ...valid, pattern: Object.assign(() => {}, {}) } as unknown as Rule;
  expect(() => rememberedRules([hidden], VARIABLES)).toThrow();
});
