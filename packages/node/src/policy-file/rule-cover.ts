import type { Rule } from "@toolkeep/core";

/** Whether two rules say the same. */
export function isSameRule(one: Rule, other: Rule): boolean {
  return (
    one.action === other.action &&
    one.permission === other.permission &&
    one.pattern === other.pattern &&
    (one.neverRemember ?? false) === (other.neverRemember ?? false) &&
    conditionsOf(one).join() === conditionsOf(other).join()
  );
}

/**
 * Whether a deny plainly speaks wherever the other rule does, in the same scope. Not sure means no:
 * this is for warnings alone.
 */
export function coversRule(deny: Rule, rule: Rule): boolean {
  if ((deny.scope ?? "manifest") !== (rule.scope ?? "manifest")) return false;
  const conditions = conditionsOf(rule);
  if (!conditionsOf(deny).every((condition) => conditions.includes(condition))) return false;
  return coversPermission(deny.permission, rule.permission) && coversPattern(deny.pattern, rule.pattern);
}

function conditionsOf({ if: conditions = [] }: Rule): readonly string[] {
  return [...conditions].sort();
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
