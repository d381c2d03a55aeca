import type { Effect } from "../../contract/call/effect.ts";
import type { Principal } from "../../contract/people/principal.ts";
import type { PolicyContext } from "../../contract/policy/decision.ts";
import type { Condition, Rule } from "../../contract/policy/rule.ts";
import { compileCondition } from "./conditions.ts";

const OF_PRINCIPAL = /^(?:not )?(?:user|group|agent|environment|role|tenant) /;

/** The rules that can apply to a principal, without what they say about it: that is decided. */
export function rulesFor(principal: Partial<Principal>, rules: readonly Rule[]): readonly Rule[] {
  const context = { principal } as PolicyContext;
  const holds = (condition: Condition) => compileCondition(condition)?.({} as Effect, context) === true;
  return rules.flatMap((rule) => {
    const about = (rule.if ?? []).filter((condition) => OF_PRINCIPAL.test(condition));
    if (about.length === 0) return [rule];
    if (!about.every(holds)) return [];
    return [{ ...rule, if: (rule.if ?? []).filter((condition) => !about.includes(condition)) }];
  });
}
