import type { Authorizer, Decision } from "../contract/decision.ts";
import type { Rule } from "../contract/rule.ts";
import { andThen } from "./and-then.ts";
import { isStricter } from "./rule-set.ts";

/** A child's policy: never looser than its parent's, whatever it says itself. */
export function inheritFrom(
  parent: Authorizer,
  own: Authorizer & { add?(rule: Rule): void },
): Authorizer & { add?(rule: Rule): void } {
  return {
    ...(own.add === undefined ? {} : { add: (rule: Rule) => own.add?.(rule) }),
    decide: (call, circumstances) =>
      andThen(parent.decide(call, circumstances), (above) => {
        if (above.action === "deny") return above;
        return andThen(own.decide(call, circumstances), (below) => stricterOf(above, below));
      }),
  };
}

function stricterOf(above: Decision, below: Decision): Decision {
  if (above.action !== "ask" || below.action !== "ask") {
    return isStricter(below.action, above.action) ? below : above;
  }
  return {
    ...above,
    reason:
      above.reason === below.reason ? above.reason : `${above.reason ?? ""} ${below.reason ?? ""}`.trim(),
    askedBy: [...new Set([...(above.askedBy ?? []), ...(below.askedBy ?? [])])],
    ...(below.neverRemember ? { neverRemember: true as const } : {}),
  } as Decision;
}
