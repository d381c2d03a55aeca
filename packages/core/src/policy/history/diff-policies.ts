import type { Authorizer } from "../../contract/policy/decision.ts";
import type { Action } from "../../contract/policy/rule.ts";
import type { Policy } from "../compile-policy.ts";
import { type Explanation, explainText } from "../rules/explanation.ts";
import { visible } from "../shown/visible.ts";
import type { RecordedCall } from "./recorded-calls.ts";

/** A recorded call that is decided otherwise. */
export interface PolicyDifference {
  readonly recorded: RecordedCall;
  readonly before: Action;
  readonly after: Action;
  /** Why it is decided as it is now. */
  readonly explanation: Explanation;
}

/** Decides recorded calls under two policies, or under one and as they were decided then. Nothing runs. */
export async function diffPolicies(
  before: Authorizer | "recorded",
  after: Policy,
  calls: readonly RecordedCall[],
): Promise<readonly PolicyDifference[]> {
  const differences: PolicyDifference[] = [];
  for (const recorded of calls) {
    const { call, context } = recorded;
    const then = before === "recorded" ? recorded.was : (await before.decide(call, context)).action;
    const now = await after.decide(call, context);
    if (now.action === then) continue;
    const explanation = await after.explain(call, context);
    differences.push({ recorded, before: then, after: now.action, explanation });
  }
  return differences;
}

/** The differences for a terminal: each call, what changed, and why. */
export function differencesText(differences: readonly PolicyDifference[]): string {
  return differences
    .map(({ recorded: { turn, call }, before, after, explanation }) => {
      const [, ...chain] = explainText(explanation).split("\n");
      return [
        `${turn}/${visible(call.id)} ${visible(call.found.name)}: ${before} -> ${after}`,
        ...chain,
      ].join("\n");
    })
    .join("\n");
}
