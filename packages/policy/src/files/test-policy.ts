import { type Action, ToolFailure } from "@toolkeep/core";
import { approversText, ruleText } from "@toolkeep/core/internal";
import { type Explanation, explainText, type Policy } from "@toolkeep/core/policy";
import {
  compileFile,
  directoriesOf,
  type FileDiagnostic,
  formatDiagnostic,
  type OwnRule,
  type PolicyFile,
  type PolicyTest,
} from "./policy-file.ts";
import { type CommandParser, callOfTest, type EffectMap, policyContextOfTest } from "./test-call.ts";

/** The result of `testPolicy`. */
export interface PolicyTestReport {
  readonly isPassed: boolean;
  readonly results: readonly PolicyTestResult[];
  /** Rules of the file that matched in none of its tests. */
  readonly untouched: readonly OwnRule[];
  /** Errors of the file. If there are any, no test is run. */
  readonly diagnostics: readonly FileDiagnostic[];
  /** The report for a terminal. */
  readonly text: string;
}

interface PolicyTestResult {
  readonly test: PolicyTest;
  readonly isPassed: boolean;
  /** The decision; in the mode `observe`, the one that another mode would make. */
  readonly action: Action;
  /** Missing if the call is refused before policy. */
  readonly explanation?: Explanation;
  /** The explanation as text. */
  readonly text: string;
}

/** Options of `testPolicy` and `explainPolicy`. */
export interface EvaluateOptions {
  /** Parses command lines: `parseCommand` of `@toolkeep/node`. Only calls with a command line need it. */
  readonly parseCommand?: CommandParser;
  /** What tools of MCP servers do, for tests that do not say it. */
  readonly effectsOf?: EffectMap;
  /** Decides in place of the file's own policy: the policy that several files make together. */
  readonly merged?: Policy["definition"];
}

/**
 * Runs the tests of a policy file. Nothing is executed.
 *
 * @example
 * const report = await testPolicy(parsePolicy(text, { file: "policy.yaml" }), { parseCommand });
 * console.log(report.text); // 9 passed, 0 failed, 0 rules untouched
 */
export async function testPolicy(
  file: PolicyFile,
  { parseCommand, effectsOf, merged }: EvaluateOptions = {},
): Promise<PolicyTestReport> {
  const { definition, diagnostics } = file;
  if (definition === undefined) {
    const text = diagnostics.map(formatDiagnostic).join("\n");
    return Object.freeze({ isPassed: false, results: [], untouched: [], diagnostics, text });
  }
  const setting = { directories: directoriesOf(file), parseCommand, effectsOf };
  const policy = compileFile(file, merged);
  const results: PolicyTestResult[] = [];
  for (const test of file.tests) results.push(await runTest(test));
  const untouched = untouchedRules(file.ownRules, results);
  const isPassed = results.every((result) => result.isPassed);
  const text = reportText(file.file, results, untouched);
  return Object.freeze({ isPassed, results, untouched, diagnostics: [], text });

  async function runTest(test: PolicyTest): Promise<PolicyTestResult> {
    try {
      const call = await callOfTest(test.call, test.facts, setting);
      const explanation = await policy.explain(call, policyContextOfTest(test.facts, call));
      const action = explanation.decision.observed?.action ?? explanation.decision.action;
      const by = (explanation.decision.needs ?? []).map(approversText);
      const isPassed = action === test.expect && isBy(test.by, by);
      return { test, isPassed, action, explanation, text: explainText(explanation) };
    } catch (error) {
      if (!ToolFailure.isInstance(error)) throw error;
      const text = `The call is refused before policy: ${error.message}`;
      return { test, isPassed: test.expect === "deny", action: "deny", text };
    }
  }
}

/** Whether exactly these must approve. A test may leave out the time. */
function isBy(expected: PolicyTest["by"], needed: readonly string[]): boolean {
  if (expected === undefined) return true;
  const names = (text: string) => [text, text.replace(/ within \S+$/, "")];
  return (
    expected.length === needed.length &&
    needed.every((need) => expected.some((one) => names(need).includes(`by ${one.trim()}`)))
  );
}

/** What was expected and what came, with who must approve where a test says it. */
export function mismatchText({ test: { expect, by }, action, explanation }: PolicyTestResult): string {
  if (by === undefined) return `expected ${expect}, got ${action}`;
  const needed = (explanation?.decision.needs ?? []).map(approversText);
  const got = needed.length === 0 ? "" : ` ${needed.join(" and ")}`;
  return `expected ${expect} by ${by.join(" and by ")}, got ${action}${got}`;
}

/** A built-in rule may be the same as one of the file; then both are touched. */
function untouchedRules(rules: readonly OwnRule[], results: readonly PolicyTestResult[]): readonly OwnRule[] {
  const steps = results
    .flatMap(({ explanation }) => explanation?.steps ?? [])
    .filter(({ said }) => said !== "nothing");
  const labels = results.flatMap(({ explanation }) => explanation?.labels ?? []);
  const positions = new Set([...steps, ...labels].map(({ at }) => at));
  // Of several rules that ask for approvers, one decides and the others add theirs.
  const asking = results.flatMap(({ explanation }) =>
    (explanation?.decision.askRules ?? []).map((text) => text.replace(/ because "(?:[^"\\]|\\.)*"$/, "")),
  );
  const matched = new Set([
    ...[...steps.map(({ matchedBy }) => matchedBy), ...asking],
    ...labels.map(({ words }) => words),
  ]);
  const touched = rules.filter(({ rule }) => positions.has(rule.at) || matched.has(ruleText(rule)));
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
    ...failed.map((one) => `${file}:${one.test.line}: ${mismatchText(one)}\n${one.text}`),
    ...untouched.map(({ line, text }) => `${file}:${line}: no test touches \`${text}\``),
    `${results.length - failed.length} passed, ${failed.length} failed, ${untouched.length} rules untouched`,
  ].join("\n");
}
