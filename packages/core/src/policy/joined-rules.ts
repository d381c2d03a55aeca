import type { Variables } from "../contract/requirements.ts";
import type { Rule } from "../contract/rule.ts";
import { compileRules, type RuleFamilies, type RuleSet } from "./rule-set.ts";

/** One compiled set with more rules, as if all had been compiled at once. Compiling a few takes no time. */
export function joinedRules(base: RuleSet, more: RuleSet): RuleSet {
  return {
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

const remembered = new Map<string, RuleSet>();

/**
 * Compiles rules, or returns the set that was compiled from equal ones: a set depends on nothing else, and a process
 * that opens a session for each call compiles the same rules each time.
 * @throws ToolkeepError `invalid_rule`.
 */
export function rememberedRules(rules: readonly Rule[], variables: Variables): RuleSet {
  const key = keyOf(rules, variables);
  if (key === undefined) return compileRules(rules, variables);
  const known = remembered.get(key);
  const found = known ?? compileRules(rules, variables);
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
  return Object.values(rule).every(
    (value) => isText(value) || typeof value === "boolean" || (Array.isArray(value) && value.every(isText)),
  );
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}
