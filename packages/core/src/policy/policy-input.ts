import type { PolicyCall } from "../contract/call.ts";
import type { PolicyContext } from "../contract/policy-context.ts";
import type { ExplainedStep } from "./explanation.ts";

/** One call before the policy. */
export interface PolicyInput {
  readonly call: PolicyCall;
  readonly context: PolicyContext;
  /** Where the layers write down what they said; missing when nobody wants to know. */
  readonly trace: ExplainedStep[] | undefined;
}
