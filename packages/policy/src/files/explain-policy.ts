import {
  differencesText,
  diffPolicies,
  type Explanation,
  explainText,
  type PolicyCall,
  type PolicyDifference,
  type RecordedCall,
} from "@toolkeep/core/policy";
import { compileFile, directoriesOf, type PolicyFile, type TestCall, type TestFacts } from "./policy-file.ts";
import { callOfTest, policyContextOfTest } from "./test-call.ts";
import type { EvaluateOptions } from "./test-policy.ts";

/**
 * Explains why a policy file decides a call as it does. The call is one of a test or a recorded one.
 * @throws ToolkeepError `invalid_option` for an invalid file.
 *
 * @example
 * const call = { kind: "tool", tool: "write", argument: "src/a.ts" } as const;
 * console.log((await explainPolicy(file, call)).text);
 */
export async function explainPolicy(
  file: PolicyFile,
  call: TestCall | PolicyCall,
  { facts = {}, parseCommand, effectsOf, merged }: EvaluateOptions & { readonly facts?: TestFacts } = {},
): Promise<{ readonly explanation: Explanation; readonly text: string }> {
  const setting = { directories: directoriesOf(file), parseCommand, effectsOf };
  const evaluated = "found" in call ? call : await callOfTest(call, facts, setting);
  const explanation = await compileFile(file, merged).explain(
    evaluated,
    policyContextOfTest(facts, evaluated),
  );
  return { explanation, text: explainText(explanation) };
}

/**
 * Finds the recorded calls that two policy files decide differently. With `"recorded"` as the first argument, the
 * second file is compared with the decisions of the recording.
 * @throws ToolkeepError `invalid_option` for an invalid file.
 */
export async function diffPolicyFiles(
  before: PolicyFile | "recorded",
  after: PolicyFile,
  calls: readonly RecordedCall[],
): Promise<{ readonly differences: readonly PolicyDifference[]; readonly text: string }> {
  const old = before === "recorded" ? before : compileFile(before);
  const differences = await diffPolicies(old, compileFile(after), calls);
  const summary = `${differences.length} of ${calls.length} calls are decided differently`;
  return {
    differences,
    text: [differencesText(differences), summary].filter((part) => part !== "").join("\n"),
  };
}
