import type { PolicyDefinition } from "../../contract/decision.ts";
import type { Rule } from "../../contract/rule.ts";
import { compilePolicy } from "../compile-policy.ts";
import type { RecordedCall } from "./recorded-calls.ts";

/** What a rule would have changed in what is on record. */
export interface RulePreview {
  readonly rule: Rule;
  /** Calls that were not allowed without asking, and would have been. */
  readonly wouldHaveAllowed: readonly RecordedCall[];
}

/** Shows a wider rule for what it is: everything on record that it would have let pass. */
export async function previewRule(
  rule: Rule,
  definition: PolicyDefinition,
  calls: readonly RecordedCall[],
): Promise<RulePreview> {
  const before = compilePolicy(definition);
  const after = compilePolicy({ ...definition, rules: [...(definition.rules ?? []), rule] });
  const wouldHaveAllowed: RecordedCall[] = [];
  for (const recorded of calls) {
    const { call, circumstances } = recorded;
    if ((await before.decide(call, circumstances)).action === "allow") continue;
    if ((await after.decide(call, circumstances)).action === "allow") wouldHaveAllowed.push(recorded);
  }
  return { rule, wouldHaveAllowed };
}
