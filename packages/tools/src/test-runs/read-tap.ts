import { type FailedTest, messageOf, positionIn, type TestReport } from "./test-report.ts";

const POINT = /^(\s*)(not ok|ok) \d+ - (.*)$/;
const DIRECTIVE = / # (SKIP|TODO|time=.*)\b.*$/i;
/** Node reports a group that has tests in it like a test. */
const GROUP = /^\s*type: 'suite'|^\s*failureType: 'subtestsFailed'/m;

/** Reads the Test Anything Protocol, as `node --test` and Vitest write it; `undefined` if there is none. */
export function readTap(output: string): TestReport | undefined {
  if (!/^TAP version \d+/m.test(output)) return undefined;
  const lines = output.split("\n");
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const failures: FailedTest[] = [];
  for (const [at, line] of lines.entries()) {
    const [, indent = "", verdict, said = ""] = POINT.exec(line) ?? [];
    if (verdict === undefined) continue;
    const details = detailsAfter(lines, at, indent);
    if (GROUP.test(details)) continue;
    if (/ # (?:SKIP|TODO)\b/i.test(said)) counts.skipped += 1;
    else if (verdict === "ok") counts.passed += 1;
    else {
      counts.failed += 1;
      failures.push(failureOf(said.replace(DIRECTIVE, ""), details));
    }
  }
  return { ...counts, failures };
}

function detailsAfter(lines: readonly string[], at: number, indent: string): string {
  if (!(lines[at + 1] ?? "").trim().startsWith("---")) return "";
  const end = lines.findIndex(
    (line, index) => index > at && line.trim() === "..." && line.startsWith(indent),
  );
  return lines.slice(at + 1, end === -1 ? at + 1 : end).join("\n");
}

function failureOf(name: string, details: string): FailedTest {
  const value = (key: string) =>
    new RegExp(`^\\s*${key}: (?:'((?:[^']|'')*)'|"((?:[^"\\\\]|\\\\.)*)"|(?!\\|)(.+))$`, "m")
      .exec(details)
      ?.slice(1)
      .find((one) => one !== undefined);
  const position = value("location") ?? value("at") ?? "";
  return { name, ...positionIn(position), ...messageOf(value("message") ?? value("error")) };
}
