import type { RegisteredTool } from "../contract/call.ts";
import type { Action, Decision, Rule } from "../contract/decision.ts";
import type { Effect } from "../contract/effect.ts";
import { ToolkeepError } from "../contract/error.ts";
import { compileGlob, type Matches } from "./glob.ts";

/** Rules ready to judge one effect of one tool. */
export interface RuleSet {
  /** The decision of the rules alone; `undefined` when none matches. */
  judge(tool: RegisteredTool, effect: Effect): Decision | undefined;
}

interface CompiledRule {
  readonly rule: Rule;
  readonly matches: Matches;
  readonly literal: number;
  readonly words: string;
}

const STRICTNESS: Readonly<Record<Action, number>> = { allow: 0, ask: 1, deny: 2 };
const NO_RULES: readonly CompiledRule[] = [];

/**
 * Two families are judged apart, and the stricter wins: rules on the tool judge the call, rules on
 * a capability judge its effects. So no allow of a tool defeats a deny of what it does.
 * @throws ToolkeepError `invalid_rule`.
 */
export function compileRules(rules: readonly Rule[]): RuleSet {
  const byPermission = new Map<string, CompiledRule[]>();
  for (const rule of rules) {
    const compiled = compileRule(rule);
    const others = byPermission.get(rule.permission);
    if (others === undefined) byPermission.set(rule.permission, [compiled]);
    else others.push(compiled);
  }
  for (const list of byPermission.values()) list.sort(bySpecificity);
  const general = byPermission.get("*") ?? NO_RULES;

  return {
    judge(tool, effect) {
      const ofTool = first(byPermission.get(tool.name), effect.target);
      const ofCapability = first(byPermission.get(effect.capability), effect.target);
      const winner = stricterRule(ofTool, ofCapability) ?? first(general, effect.target);
      return winner === undefined ? undefined : toDecision(winner);
    },
  };
}

export function stricter(one: Decision, other: Decision): Decision {
  return STRICTNESS[other.action] > STRICTNESS[one.action] ? other : one;
}

function compileRule(rule: Rule): CompiledRule {
  const pattern = rule.pattern ?? "**";
  if (!(rule.action in STRICTNESS) || typeof rule.permission !== "string" || rule.permission === "") {
    throw new ToolkeepError(
      "invalid_rule",
      `A rule needs a permission and an action of allow, ask or deny: ${JSON.stringify(rule)}`,
    );
  }
  const literal = pattern.replaceAll(/[*?{}]/g, "").length;
  return {
    rule,
    matches: compileGlob(pattern),
    literal,
    words: `${rule.action} ${rule.permission} ${pattern}`,
  };
}

/** Longer literal first; of two that are as long, the stricter. */
function bySpecificity(one: CompiledRule, other: CompiledRule): number {
  return other.literal - one.literal || STRICTNESS[other.rule.action] - STRICTNESS[one.rule.action];
}

function first(rules: readonly CompiledRule[] | undefined, target: string): CompiledRule | undefined {
  return rules?.find((rule) => rule.matches(target));
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
