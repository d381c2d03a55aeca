import {
  differencesText,
  diffPolicies,
  type Explanation,
  explainText,
  type PolicyCall,
  type PolicyDifference,
  type RecordedCall,
} from "@toolkeep/core/policy";
import { callOfTest, policyContextOfTest } from "./call-of-test.ts";
import { compileFile, placesOf } from "./compile-file.ts";
import type { PolicyFile, TestCall, TestFacts } from "./policy-file.ts";

/** Why a policy file decides a call, supposed or recorded, as it does. @throws ToolkeepError `invalid_option` for a file with problems. */
export async function explainPolicy(
  file: PolicyFile,
  call: TestCall | PolicyCall,
  facts: TestFacts = {},
): Promise<{ readonly explanation: Explanation; readonly text: string }> {
  const evaluated = "found" in call ? call : await callOfTest(call, facts, placesOf(file));
  const explanation = await compileFile(file).explain(evaluated, policyContextOfTest(facts));
  return { explanation, text: explainText(explanation) };
}

/** Which recorded calls two policy files decide differently. @throws ToolkeepError `invalid_option` for a file with problems. */
export async function diffPolicyFiles(
  before: PolicyFile | "recorded",
  after: PolicyFile,
  calls: readonly RecordedCall[],
): Promise<{ readonly differences: readonly PolicyDifference[]; readonly text: string }> {
  const old = before === "recorded" ? before : compileFile(before);
  const differences = await diffPolicies(old, compileFile(after), calls);
  const summary = `${differences.length} of ${calls.length} calls are decided otherwise`;
  return {
    differences,
    text: [differencesText(differences), summary].filter((part) => part !== "").join("\n"),
  };
}
