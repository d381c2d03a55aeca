import type { Decision } from "../../contract/policy/decision.ts";
import type { PolicyCall } from "../../contract/policy/policy-call.ts";
import type { Rule } from "../../contract/policy/rule.ts";
import { compileGlob, kindOfTarget } from "../patterns/compile-glob.ts";
import { patternError } from "../patterns/pattern-error.ts";
import { mcpAddress } from "../rules/called-action.ts";
import type { ExplainedStep } from "../rules/explanation.ts";

const MOST = 8;
const LONGEST = 400;

/** Whether rules can change the decision: no watchdog asks as well, and the answer may be remembered. */
export function asksByRulesAlone({ action, neverRemember, askedBy = [] }: Decision): boolean {
  return action === "ask" && neverRemember !== true && askedBy.every((asker) => asker === "rules");
}

/**
 * Rules that allow nothing but the effects of a call, one for each that no rule allows by these steps. None where an
 * effect cannot be written as a pattern that means it alone.
 */
export function exactRules(call: PolicyCall, steps: readonly ExplainedStep[]): readonly Rule[] {
  // A rule on a tool would allow it with any arguments.
  if (mcpAddress(call.found) !== undefined) return [];
  const open = steps.flatMap(({ said, effect }) =>
    said === "allow" || effect === undefined ? [] : [effect],
  );
  const rules = new Map<string, Rule>();
  for (const { capability: permission, target } of open) {
    const pattern = exactPattern(permission, target);
    if (pattern === undefined) return [];
    rules.set(`${permission} ${pattern}`, { permission, pattern, ...ALLOW });
  }
  return rules.size > MOST ? [] : [...rules.values()];
}

const ALLOW = { action: "allow", scope: "session", yieldsToDeny: true } as const;

/** Characters that mean more than themselves in a pattern, or that a line of a policy file cannot have. */
const WILD = /[*?{}[\]\\`]|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** A pattern that matches the target of an effect and nothing else. */
export function exactPattern(permission: string, target: string): string | undefined {
  if (permission === "shell.dynamic" || target.length > LONGEST || WILD.test(target)) return undefined;
  const kind = kindOfTarget(permission);
  if (patternError(target, kind) !== undefined) return undefined;
  return compileGlob(target).matches(target, kind) ? target : undefined;
}
