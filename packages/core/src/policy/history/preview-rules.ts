import type { Rule } from "../../contract/policy/rule.ts";
import type { SessionAuthorizer } from "../inherit.ts";
import type { RecordedCall } from "./recorded-calls.ts";

/** What rules would have changed in what is on record. */
export interface RulePreview {
  readonly rules: readonly Rule[];
  /** Calls that were not allowed without asking, and would have been. */
  readonly wouldHaveAllowed: readonly RecordedCall[];
}

/** Shows wider rules for what they are: everything on record that they would have let pass. */
export async function previewRules(
  rules: readonly Rule[],
  before: SessionAuthorizer,
  calls: readonly RecordedCall[],
): Promise<RulePreview> {
  const after = before.withRules?.(rules) ?? before;
  const wouldHaveAllowed: RecordedCall[] = [];
  for (const recorded of calls) {
    const { call, context } = recorded;
    if ((await before.decide(call, context)).action === "allow") continue;
    if ((await after.decide(call, context)).action === "allow") wouldHaveAllowed.push(recorded);
  }
  return { rules, wouldHaveAllowed };
}
