import { type Action, ToolFailure } from "@toolkeep/core";
import { type Explanation, explainText, ruleText } from "@toolkeep/core/policy";
import { callOfTest, policyContextOfTest } from "./call-of-test.ts";
import { compileFile, placesOf } from "./compile-file.ts";
import { formatDiagnostic, type PolicyDiagnostic } from "./diagnostic.ts";
import type { OwnRule, PolicyFile, PolicyTest } from "./policy-file.ts";

export interface PolicyTestReport {
  readonly isPassed: boolean;
  readonly results: readonly PolicyTestResult[];
  /** The file's own rules that decided nothing in any of its tests. */
  readonly untouched: readonly OwnRule[];
  /** What is wrong with the file; then no test is run. */
  readonly diagnostics: readonly PolicyDiagnostic[];
  /** All of it for a terminal. */
  readonly text: string;
}

export interface PolicyTestResult {
  readonly test: PolicyTest;
  readonly isPassed: boolean;
  /** What became of the call; in the mode `observe`, what would have. */
  readonly action: Action;
  /** Missing when the call would be refused before any rule is asked. */
  readonly explanation?: Explanation;
  /** Why, in full. */
  readonly text: string;
}

/** Runs the tests that stand in a policy file. Nothing is executed. */
export async function testPolicy(file: PolicyFile): Promise<PolicyTestReport> {
  const { definition, diagnostics } = file;
  if (definition === undefined) {
    const text = diagnostics.map(formatDiagnostic).join("\n");
    return Object.freeze({ isPassed: false, results: [], untouched: [], diagnostics, text });
  }
  const directories = placesOf(file);
  const policy = compileFile(file);
  const results: PolicyTestResult[] = [];
  for (const test of file.tests) results.push(await runTest(test));
  const untouched = untouchedRules(file.ownRules, results);
  const isPassed = results.every((result) => result.isPassed);
  const text = reportText(file.file, results, untouched);
  return Object.freeze({ isPassed, results, untouched, diagnostics: [], text });

  async function runTest(test: PolicyTest): Promise<PolicyTestResult> {
    try {
      const call = await callOfTest(test.call, test.facts, directories);
      const explanation = await policy.explain(call, policyContextOfTest(test.facts));
      const action = explanation.decision.observed?.action ?? explanation.decision.action;
      return { test, isPassed: action === test.expect, action, explanation, text: explainText(explanation) };
    } catch (error) {
      if (!ToolFailure.isInstance(error)) throw error;
      const text = `It would be refused before any rule is asked: ${error.message}`;
      return { test, isPassed: test.expect === "deny", action: "deny", text };
    }
  }
}

/** A rule that ships may say the very same; then the file's own counts as touched as well. */
function untouchedRules(rules: readonly OwnRule[], results: readonly PolicyTestResult[]): readonly OwnRule[] {
  const steps = results.flatMap(({ explanation }) => explanation?.steps ?? []);
  const directories = new Set(steps.map(({ at }) => at));
  const words = new Set(steps.map(({ matchedBy }) => matchedBy));
  const touched = rules.filter(({ rule }) => directories.has(rule.at) || words.has(ruleText(rule)));
  const lines = new Set(touched.map(({ line }) => line));
  const untouched = rules.filter(({ line }) => !lines.has(line));
  return [...new Map(untouched.map((own) => [own.line, own])).values()];
}

function reportText(
  file: string,
  results: readonly PolicyTestResult[],
  untouched: readonly OwnRule[],
): string {
  const failed = results.filter(({ isPassed }) => !isPassed);
  return [
    ...failed.map(
      ({ test, action, text }) => `${file}:${test.line}: expected ${test.expect}, got ${action}\n${text}`,
    ),
    ...untouched.map(({ line, text }) => `${file}:${line}: no test touches \`${text}\``),
    `${results.length - failed.length} passed, ${failed.length} failed, ${untouched.length} rules untouched`,
  ].join("\n");
}
