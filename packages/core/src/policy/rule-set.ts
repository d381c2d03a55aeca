import type { RegisteredTool } from "../contract/call.ts";
import type { Action, Decision, Rule } from "../contract/decision.ts";
import type { Effect } from "../contract/effect.ts";
import { ToolkeepError } from "../contract/error.ts";
import type { Variables } from "../contract/requirements.ts";
import { expandVariables } from "./expand-variables.ts";
import { compileGlob, kindOfTarget, type TargetKind, type TargetPattern } from "./glob.ts";

/** Rules ready to judge one effect of one tool. */
export interface RuleSet {
  /** The decision of the rules alone; `undefined` when none matches. */
  judge(tool: RegisteredTool, effect: Effect): Decision | undefined;
}

interface CompiledRule {
  readonly rule: Rule;
  readonly pattern: TargetPattern;
  readonly literal: number;
  readonly words: string;
}

const STRICTNESS: Readonly<Record<Action, number>> = { allow: 0, ask: 1, deny: 2 };
const NO_RULES: readonly CompiledRule[] = [];

/**
 * A deny that matches is final. Otherwise two families are judged apart, and the stricter wins: rules
 * on the tool judge the call, rules on a capability judge its effects; within a family the longer
 * literal pattern counts. So no allow of a tool defeats a deny of what it does.
 * @throws ToolkeepError `invalid_rule`.
 */
export function compileRules(rules: readonly Rule[], variables: Variables = {}): RuleSet {
  if (!Array.isArray(rules)) throw new ToolkeepError("invalid_rule", "Rules are given as a list.");
  const byPermission = new Map<string, CompiledRule[]>();
  for (const rule of rules as readonly Rule[]) {
    const compiled = compileRule(rule, variables);
    byPermission.set(rule.permission, [...(byPermission.get(rule.permission) ?? []), ...compiled]);
  }
  for (const list of byPermission.values()) list.sort(bySpecificity);
  const general = byPermission.get("*") ?? NO_RULES;

  return {
    judge(tool, effect) {
      const kind = kindOfTarget(effect.capability);
      const ofTool = first(byPermission.get(tool.name), effect.target, kind);
      const ofCapability = first(byPermission.get(effect.capability), effect.target, kind);
      const ofAll = first(general, effect.target, kind);
      const specific = stricterRule(ofTool, ofCapability);
      const winner = ofAll?.rule.action === "deny" ? ofAll : (specific ?? ofAll);
      return winner === undefined ? undefined : toDecision(winner);
    },
  };
}

export function stricter(one: Decision, other: Decision): Decision {
  return STRICTNESS[other.action] > STRICTNESS[one.action] ? other : one;
}

/** One for each value of the variables in its pattern; a variable without a value matches nothing. */
function compileRule(rule: Rule, variables: Variables): CompiledRule[] {
  const foreign = Object.keys(rule).find((key) => !FIELDS.has(key));
  if (foreign !== undefined) throw invalid(rule, `it has no field ${JSON.stringify(foreign)}`);
  if (typeof rule.permission !== "string" || rule.permission === "")
    throw invalid(rule, "it needs a permission");
  if (!Object.hasOwn(STRICTNESS, rule.action)) throw invalid(rule, "its action is allow, ask or deny");
  const pattern = rule.pattern ?? "**";
  if (typeof pattern !== "string") throw invalid(rule, "its pattern is a text");
  const words = `${rule.action} ${rule.permission} ${pattern}`;
  return expandVariables(pattern, variables, (name) =>
    invalid(rule, `nobody knows the variable {${name}}`),
  ).map((one) => ({
    rule,
    pattern: compileGlob(one),
    literal: one.replaceAll(/[*?{}]/g, "").length,
    words,
  }));
}

const FIELDS = new Set(["permission", "pattern", "action"]);

function invalid(rule: Rule, problem: string): ToolkeepError {
  return new ToolkeepError("invalid_rule", `The rule ${JSON.stringify(rule)} is refused: ${problem}.`);
}

/** Denies first, then the longer literal; of two that are as long, the stricter. */
function bySpecificity(one: CompiledRule, other: CompiledRule): number {
  const denies = Number(other.rule.action === "deny") - Number(one.rule.action === "deny");
  return denies || other.literal - one.literal || STRICTNESS[other.rule.action] - STRICTNESS[one.rule.action];
}

function first(
  rules: readonly CompiledRule[] | undefined,
  target: string,
  kind: TargetKind,
): CompiledRule | undefined {
  return rules?.find(({ rule, pattern }) =>
    rule.action === "allow" ? pattern.matches(target, kind) : pattern.mayMatch(target, kind),
  );
}

function stricterRule(
  one: CompiledRule | undefined,
  other: CompiledRule | undefined,
): CompiledRule | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return STRICTNESS[other.rule.action] > STRICTNESS[one.rule.action] ? other : one;
}

function toDecision({ rule, words }: CompiledRule): Decision {
  const decision = { action: rule.action, layer: "rule", ground: words } as const;
  return rule.action === "allow" ? decision : { ...decision, reason: `The rule \`${words}\` says so.` };
}
