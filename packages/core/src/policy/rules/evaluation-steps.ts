import type { Effect } from "../../contract/call/effect.ts";
import type { Decision } from "../../contract/policy/decision.ts";
import { defined } from "../../contract/values/defined.ts";
import type { ExplainedStep } from "./explanation.ts";
import type { PolicyInput } from "./policy-call.ts";
import type { Matching } from "./rule-set.ts";

/** For an explanation: the rules that would match, and whose `when` does not hold. */
export function unmetConditions(
  { ofTool, ofCapability, ofAll }: Matching,
  effect: Effect,
  { context, moment }: PolicyInput,
): readonly ExplainedStep[] {
  const rules = [...ofTool, ...ofCapability, ...ofAll].filter(({ rule }) => rule.when !== undefined);
  const unmet = rules.filter(
    ({ conditions }) => !conditions.every((holds) => holds(effect, context, moment)),
  );
  return unmet.map(({ rule, words }) => {
    const failure = moment?.failureOf(rule);
    const reason =
      failure === undefined
        ? "Its condition does not hold."
        : `Its condition could not be evaluated: ${failure}.`;
    const place = rule.at === undefined ? {} : { at: rule.at };
    return { layer: "rule", said: "nothing", how: "narrows", matchedBy: words, reason, ...place };
  });
}

export function stepOf(decision: Decision, effect: Effect | undefined) {
  const { action, layer, matchedBy, reason, because, at, isFinal: final } = decision;
  const why = layer === "rule" ? because : reason;
  const more = { ...defined({ reason: why, at, effect }), ...(final ? { isFinal: true as const } : {}) };
  return { layer, said: action, how: "narrows", matchedBy, ...more } as const;
}
