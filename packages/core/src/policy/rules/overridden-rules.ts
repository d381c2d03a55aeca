import type { Condition, Rule } from "../../contract/policy/rule.ts";
import type { Diagnostic } from "../../contract/values/diagnostic.ts";
import { ruleText } from "./compile-rule.ts";
import { isStricter } from "./rule-set.ts";

/** Rules that never decide, because a stricter one applies wherever they do. */
export function overriddenRules(rules: readonly Rule[]): readonly Diagnostic[] {
  return rules.flatMap((rule) => {
    const found = overridden(rule, rules);
    const [, file, line] = /^(.+):(\d+)$/.exec(rule.at ?? "") ?? [];
    if (found === undefined) return [];
    const message = found.message.replace("The rule", `The rule \`${ruleText(rule)}\``);
    return [{ ...found, message, ...(file === undefined ? {} : { file, line: Number(line) }) }];
  });
}

/**
 * Why a rule never decides, or `undefined`. Of the same scope, no rule overrides a deny. Of rules with the same
 * permission and pattern, the strictest that applies decides, whatever the conditions of the others.
 */
export function overridden(rule: Rule, others: readonly Rule[]): Diagnostic | undefined {
  if (rule.action === "deny" || rule.label !== undefined || rule.final === true) return undefined;
  const by = others.find((other) => isOverriding(other, rule));
  if (by === undefined) return undefined;
  const place = by.at === undefined ? "" : ` (${by.at})`;
  return {
    code: "shadowed_rule",
    message: `The rule never applies: \`${ruleText(by)}\` overrides it${place}.`,
    hint: hintFor(rule, by),
  };
}

function isOverriding(other: Rule, rule: Rule): boolean {
  if (other.label !== undefined || !isStricter(other.action, rule.action)) return false;
  if (other.when !== undefined && other.when !== rule.when) return false;
  const conditions = rule.if ?? [];
  if (!(other.if ?? []).every((condition) => conditions.includes(condition))) return false;
  if (other.action === "ask") return other.permission === rule.permission && other.pattern === rule.pattern;
  if ((other.scope ?? "manifest") !== (rule.scope ?? "manifest")) return false;
  return coversPermission(other.permission, rule.permission) && coversPattern(other.pattern, rule.pattern);
}

function hintFor({ if: conditions = [] }: Rule, by: Rule): string {
  const [condition, ...more] = conditions.filter((one) => by.if?.includes(one) !== true);
  if (by.action === "deny") return "Narrow the deny.";
  if (condition === undefined || more.length > 0) return "Narrow the other rule.";
  const opposite = (
    condition.startsWith("not ") ? condition.slice("not ".length) : `not ${condition}`
  ) as Condition;
  return `Did you mean \`${ruleText({ ...by, if: [...(by.if ?? []), opposite] })}\`?`;
}

function coversPermission(wide: string, narrow: string): boolean {
  if (wide === "*" || wide === narrow) return true;
  return wide.endsWith("*") && !wide.slice(0, -1).includes("*") && narrow.startsWith(wide.slice(0, -1));
}

const WILD = /[*?{]/;
const VARIABLE = /^\{[a-z-]+\}/;

function coversPattern(wide: string | undefined, narrow: string | undefined): boolean {
  if (wide === undefined || wide === "**" || wide === narrow) return true;
  if (narrow === undefined) return false;
  const start = /^(.*?)(?: \*|\/\*\*)$/s.exec(wide)?.[1];
  if (start === undefined || WILD.test(start.replace(VARIABLE, ""))) return false;
  const separator = wide.endsWith(" *") ? " " : "/";
  return narrow === start || narrow.startsWith(`${start}${separator}`);
}
