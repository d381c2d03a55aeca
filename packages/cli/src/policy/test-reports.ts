import { visible } from "@toolkeep/core/internal";
import type { PolicyMode } from "@toolkeep/core/policy";
import type { PolicyTestReport } from "@toolkeep/policy";
import { formatDiagnostic, mismatchText } from "@toolkeep/policy/internal";

/** A policy file and the results of its tests. */
export interface TestedFile {
  readonly file: string;
  readonly report: PolicyTestReport;
  /** In which its calls are decided here. In `observe`, what is not an administrator's is recorded and passes. */
  readonly mode: PolicyMode;
}

type Result = PolicyTestReport["results"][number];

/** For people: what failed, with the chain of the decision; rules that no test touches; how many passed. */
export function textLines(tested: readonly TestedFile[]): readonly string[] {
  return tested.flatMap(({ file, report }) => {
    const lines = report.text.split("\n");
    const last = report.diagnostics.length > 0 ? "invalid, no test was run" : (lines.pop() ?? "");
    return [...lines, `${visible(file)}: ${last}`];
  });
}

/** For programs. */
export function reportRecord({ file, report, mode }: TestedFile): Readonly<Record<string, unknown>> {
  const { isPassed, results, untouched, diagnostics } = report;
  return {
    file,
    mode,
    isPassed,
    results: results.map((result) => ({
      line: result.test.line,
      call: callName(result.test),
      expect: result.test.expect,
      action: result.action,
      isPassed: result.isPassed,
      text: result.text,
    })),
    untouched: untouched.map(({ line, text }) => ({ line, rule: text })),
    diagnostics,
  };
}

/** As JUnit, which CI services show. */
export function junitLines(tested: readonly TestedFile[]): readonly string[] {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    ...tested.flatMap(({ file, report: { results, diagnostics } }) => {
      const failures = results.filter(({ isPassed }) => !isPassed).length;
      const count = results.length + diagnostics.length;
      return [
        `  <testsuite name="${xml(file)}" tests="${count}" failures="${failures}" errors="${diagnostics.length}">`,
        ...diagnostics.map((one) => {
          const message = xml(formatDiagnostic(one));
          return `    <testcase classname="${xml(file)}" name="line ${one.line}"><error message="${message}"/></testcase>`;
        }),
        ...results.flatMap((result) => junitCase(file, result)),
        "  </testsuite>",
      ];
    }),
    "</testsuites>",
  ];
}

function junitCase(file: string, result: Result): readonly string[] {
  const { test, isPassed, text } = result;
  const start = `    <testcase classname="${xml(file)}" name="${xml(callName(result.test))}" file="${xml(file)}" line="${test.line}"`;
  if (isPassed) return [`${start}/>`];
  return [
    `${start}>`,
    `      <failure message="${xml(mismatchText(result))}">${xml(text.split("\n").map(shown).join("\n"))}</failure>`,
    "    </testcase>",
  ];
}

/** As TAP 14. */
export function tapLines(tested: readonly TestedFile[]): readonly string[] {
  const cases = tested.flatMap(({ file, report: { results, diagnostics } }) => [
    ...diagnostics.map((one) => ({
      name: `${file}:${one.line}`,
      failure: { message: formatDiagnostic(one), at: `${file}:${one.line}` },
    })),
    ...results.map((result) => ({
      name: `${file}:${result.test.line} ${callName(result.test)}`,
      failure: result.isPassed
        ? undefined
        : { message: mismatchText(result), at: `${file}:${result.test.line}`, chain: result.text },
    })),
  ]);
  return [
    "TAP version 14",
    `1..${cases.length}`,
    ...cases.flatMap(({ name, failure }, index) => [
      `${failure === undefined ? "ok" : "not ok"} ${index + 1} - ${shown(name).replaceAll(/[\\#]/g, String.raw`\$&`)}`,
      ...(failure === undefined
        ? []
        : [
            "  ---",
            ...Object.entries(failure).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`),
            "  ...",
          ]),
    ]),
  ];
}

/** The call of a test as one line, with what is known about it. */
export function callName({ call, facts }: Pick<Result["test"], "call" | "facts">): string {
  const known = Object.entries(facts).map(([name, value]) =>
    value === true ? name : `${name} ${shownFact(name, value)}`,
  );
  const about = known.length === 0 ? "" : ` (${known.join(", ")})`;
  if (call.kind === "tool") return `${call.tool} ${call.argument}${about}`;
  const name = call.kind === "mcp" ? `mcp:${call.server}:${call.tool}` : call.tool;
  const effects = call.effects.map(({ capability, target }) => `${capability} ${target}`).join(", ");
  return `${name}${effects === "" ? "" : ` ${effects}`}${about}`;
}

function shownFact(name: string, value: unknown): string {
  if (name === "now" && typeof value === "number") return new Date(value).toISOString();
  return typeof value === "object" && !Array.isArray(value) ? JSON.stringify(value) : String(value);
}

const shown = (text: string) => visible(text);

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** XML has no control characters, not even escaped. Line ends of our own text stay. */
function xml(text: string): string {
  const lines = text.split("\n").map(shown).join("\n");
  return lines.replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}
