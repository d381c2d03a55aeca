import type { Variables } from "../../contract/call/effect.ts";
import type { ConditionLanguage } from "../../contract/policy/decision.ts";
import type { Rule } from "../../contract/policy/rule.ts";
import { compileRules, type RuleFamilies, type RuleSet } from "./rule-set.ts";

/** One compiled set with more rules, as if all had been compiled at once. Compiling a few takes no time. */
export function joinedRules(base: RuleSet, more: RuleSet): RuleSet {
  return {
    hasWhen: base.hasWhen || more.hasWhen,
    longestWindowMs: Math.max(base.longestWindowMs, more.longestWindowMs),
    matching(tool, action, effect) {
      const [one, other] = [base.matching(tool, action, effect), more.matching(tool, action, effect)];
      return {
        ...families(one, other),
        ofParts: [...one.ofParts, ...other.ofParts],
        isConditional: one.isConditional || other.isConditional,
      };
    },
    naming: (tool, action, capability) =>
      families(base.naming(tool, action, capability), more.naming(tool, action, capability)),
  };
}

function families(one: RuleFamilies, other: RuleFamilies): RuleFamilies {
  return {
    ofTool: [...one.ofTool, ...other.ofTool],
    ofCapability: [...one.ofCapability, ...other.ofCapability],
    ofAll: [...one.ofAll, ...other.ofAll],
  };
}

/** A process has few policies at a time. */
const MOST_REMEMBERED = 4;

/** By the language of `when`: the same text in another one is another condition. */
const rememberedBy = new WeakMap<object, Map<string, RuleSet>>();
const NO_LANGUAGE = {};

/**
 * Compiles rules, or returns the set that was compiled from equal ones: a set depends on nothing else, and a process
 * that opens a session for each call compiles the same rules each time.
 * @throws ToolkeepError `invalid_rule`.
 */
export function rememberedRules(
  rules: readonly Rule[],
  variables: Variables,
  language?: ConditionLanguage,
): RuleSet {
  const key = keyOf(rules, variables);
  if (key === undefined) return compileRules(rules, variables, language);
  const remembered = rememberedBy.get(language ?? NO_LANGUAGE) ?? new Map<string, RuleSet>();
  rememberedBy.set(language ?? NO_LANGUAGE, remembered);
  const known = remembered.get(key);
  const found = known ?? compileRules(rules, variables, language);
  // The one that was used last is at the end.
  remembered.delete(key);
  remembered.set(key, found);
  const [oldest] = remembered.keys();
  if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
  return found;
}

/** Equal for equal rules alone; `undefined` for a rule with values that JSON does not tell apart. */
function keyOf(rules: readonly Rule[], variables: Variables): string | undefined {
  if (!Array.isArray(rules) || !rules.every(isPlain)) return undefined;
  return JSON.stringify([rules, variables]);
}

function isPlain(rule: unknown): boolean {
  if (typeof rule !== "object" || rule === null || "toJSON" in rule) return false;
  const { approvers = {}, ...others } = rule as Partial<Rule>;
  return (
    Object.values(others).every(
      (value) => isText(value) || typeof value === "boolean" || (Array.isArray(value) && value.every(isText)),
    ) && isPlainObject(approvers)
  );
}

function isPlainObject(value: unknown): boolean {
  if (typeof value !== "object" || value === null || "toJSON" in value) return false;
  return Object.values(value).every((one) => isText(one) || Number.isSafeInteger(one));
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}
