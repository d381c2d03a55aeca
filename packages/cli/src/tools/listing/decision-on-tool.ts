import type { Rule } from "@toolkeep/core";
import { compileGlob, kindOfTarget, ruleText } from "@toolkeep/core/internal";
import type { Policy } from "@toolkeep/core/policy";
import type { ToolDecision } from "./listed-tool.ts";

/** What the rules can name of a tool. */
export interface RuledTool {
  /** Its name, and its address on a server. */
  readonly names: readonly string[];
  readonly capabilities: readonly string[];
  /** Whether it runs without approval where no rule matches. */
  readonly isUngated: boolean;
}

/** What rules say about every call of a tool, whatever its arguments. Watchdogs may object all the same. */
export function decisionOnTool(tool: RuledTool, rules: Policy["definition"]["rules"]): ToolDecision {
  const general = rules.filter(({ permission }) => permission === "*");
  const specific = rules.filter(({ permission }) => permission !== "*");
  const naming = (names: readonly string[]) =>
    specific.filter(({ permission }) => isNamed(permission, names));
  const ofTool = naming(tool.names);
  const hasPaths = tool.capabilities.some(isOfPaths);
  const denied = [...ofTool, ...general].find(
    (rule) => rule.action === "deny" && isUnconditional(rule, hasPaths),
  );
  if (denied !== undefined) return saidBy(denied);
  const otherwise = () => onEveryCall(general, hasPaths) ?? noRule(tool);
  const named = onEveryCall(ofTool, hasPaths);
  const parts = tool.capabilities.flatMap(
    (capability) =>
      onEveryCall(naming([capability]), isOfPaths(capability)) ?? (named === undefined ? otherwise() : []),
  );
  const whole = ofAllParts(parts);
  if (named === undefined || whole === undefined) return named ?? whole ?? otherwise();
  return stricter(named, whole);
}

/** A call of a tool with several capabilities may use any of them. */
function ofAllParts(parts: readonly ToolDecision[]): ToolDecision | undefined {
  const [first] = parts;
  if (first === undefined) return undefined;
  return parts.every(({ action }) => action === first.action) ? first : DEPENDS;
}

/** What rules say together; `undefined` if there are none. */
function onEveryCall(rules: readonly Rule[], hasPaths: boolean): ToolDecision | undefined {
  const [first] = rules;
  if (first === undefined) return undefined;
  const denied = rules.find((rule) => rule.action === "deny" && isUnconditional(rule, hasPaths));
  if (denied !== undefined) return saidBy(denied);
  const general = rules.find((rule) => isUnconditional(rule, hasPaths));
  const isOne = rules.every(({ action }) => action === first.action);
  return general !== undefined && isOne ? saidBy(general) : DEPENDS;
}

const DEPENDS: ToolDecision = { action: "depends", by: "the rules depend on its arguments" };

function noRule({ isUngated, capabilities }: RuledTool): ToolDecision {
  if (!isUngated) return { action: "ask", by: "no rule matches it" };
  return { action: "allow", by: capabilities.length === 0 ? "it has no effects" : "no rule matches it" };
}

const STRICTNESS = { allow: 0, ask: 1, depends: 2, deny: 3 } as const;

/** A part that depends on the arguments makes the whole depend on them, unless the other one denies it. */
function stricter(one: ToolDecision, other: ToolDecision): ToolDecision {
  return STRICTNESS[other.action] > STRICTNESS[one.action] ? other : one;
}

function saidBy(rule: Rule): ToolDecision {
  return { action: rule.action, by: ruleText(rule), ...(rule.at === undefined ? {} : { at: rule.at }) };
}

/** In a path, a `*` alone is one segment. */
function isUnconditional({ pattern, if: conditions = [], when }: Rule, hasPaths: boolean): boolean {
  const isAll = pattern === undefined || pattern === "**" || (pattern === "*" && !hasPaths);
  return isAll && conditions.length === 0 && when === undefined;
}

function isOfPaths(capability: string): boolean {
  return kindOfTarget(capability) === "path";
}

/** Whether an entry of a list or the permission of a rule names one of these. */
export function isNamed(entry: string, names: readonly string[]): boolean {
  if (!entry.includes("*")) return names.includes(entry);
  const pattern = compileGlob(entry);
  return names.some((name) => pattern.matches(name, "text"));
}
