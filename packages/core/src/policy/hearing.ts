import type { JudgedCall } from "../contract/call.ts";
import type { Circumstances } from "../contract/circumstances.ts";
import type { ExplainedStep } from "./explanation.ts";

/** One call before the policy. */
export interface Hearing {
  readonly call: JudgedCall;
  readonly circumstances: Circumstances;
  /** Where the layers write down what they said; missing when nobody wants to know. */
  readonly trace: ExplainedStep[] | undefined;
}
