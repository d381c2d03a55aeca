import type { Effect } from "../../contract/call/effect.ts";
import type { Decision } from "../../contract/policy/decision.ts";
import type { PolicyCall } from "../../contract/policy/policy-call.ts";
import type { Rule } from "../../contract/policy/rule.ts";
import { compileGlob, kindOfTarget } from "../patterns/compile-glob.ts";
import { patternError } from "../patterns/pattern-error.ts";
import { mcpAddress } from "../rules/called-action.ts";

const MOST = 8;
const LONGEST = 400;

/** Whether rules can change the decision: the answer may be remembered, and no watchdog asks that no rule answers. */
export function asksByRulesAlone({ action, neverRemember, askedBy = [] }: Decision): boolean {
  return action === "ask" && neverRemember !== true && askedBy.every((asker) => ANSWERED_BY_RULES.has(asker));
}

/** A rule that names what is destroyed answers the watchdog. */
const ANSWERED_BY_RULES: ReadonlySet<string> = new Set(["rules", "destruction"]);

/** Rules that allow nothing but the effects of a call; none where a pattern cannot mean an effect alone. */
export function exactRules(call: PolicyCall, open: readonly Effect[]): readonly Rule[] {
  // A rule on a tool would allow it with any arguments.
  if (mcpAddress(call.found) !== undefined) return [];
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
