import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CliBench, cliBench } from "./cli-bench.ts";

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
});
afterEach(() => bench.remove());

const GUIDE = readFileSync(join(import.meta.dirname, "../../docs/guides/policy-file.md"), "utf8");
/** The policy at the top of the guide. */
const POLICY = /```yaml\n(version: 1\n[\s\S]*?)```/.exec(GUIDE)?.[1] ?? "";
const FAILING = POLICY.replace("{ write: app/a.ts, expect: allow }", "{ write: app/a.ts, expect: deny }");

const testPolicy = (...args: string[]) => bench.runHere(["policy", "test", "policy.yaml", ...args]);
const hasJq = spawnSync("jq", ["--version"]).status === 0;

/** The failed calls of a JSON report, as the guide reads them. */
function failedCalls(report: string): readonly string[] {
  const filter = ".[].results[] | select(.isPassed | not) | .call";
  expect(GUIDE).toContain(`jq -r '${filter}'`);
  if (!hasJq)
    return (JSON.parse(report) as { results: { isPassed: boolean; call: string }[] }[])
      .flatMap(({ results }) => results)
      .filter(({ isPassed }) => !isPassed)
      .map(({ call }) => call);
  const { stdout, status } = spawnSync("jq", ["-r", filter], { input: report, encoding: "utf8" });
  expect(status).toBe(0);
  return stdout.split("\n").filter((line) => line !== "");
}

describe("the policy of the guide in CI", () => {
  test("check and test pass with exit code 0, and report in every format", async () => {
    bench.write("policy.yaml", POLICY);
    expect(await bench.runHere(["policy", "check", "--strict", "policy.yaml"])).toMatchObject({ code: 0 });
    expect(await testPolicy()).toMatchObject({
      code: 0,
      stdout: "policy.yaml: 10 passed, 0 failed, 0 rules untouched\n",
    });
    const json = await testPolicy("--json");
    expect(json.code).toBe(0);
    expect(failedCalls(json.stdout)).toEqual([]);
    const tap = await testPolicy("--format", "tap");
    expect(tap.stdout.split("\n").slice(0, 3)).toEqual([
      "TAP version 14",
      "1..10",
      "ok 1 - policy.yaml:16 write app/a.ts",
    ]);
    expect((await testPolicy("--format", "junit")).stdout).toContain('tests="10" failures="0" errors="0"');
  });

  test("a failed test has exit code 1 and is named with its line and the chain of the decision", async () => {
    bench.write("policy.yaml", FAILING);
    const { code, stdout } = await testPolicy("--format", "json");
    expect(code).toBe(1);
    expect(failedCalls(stdout)).toEqual(["write app/a.ts"]);
    const text = await testPolicy();
    expect(text.stdout).toContain("policy.yaml:16: expected deny, got allow\n");
    expect(text.stdout).toContain("policy.yaml: 9 passed, 1 failed, 0 rules untouched");
    const tap = await testPolicy("--format", "tap");
    expect(tap.stdout).toContain(
      'not ok 1 - policy.yaml:16 write app/a.ts\n  ---\n  message: "expected deny, got allow"',
    );
    const junit = await testPolicy("--format", "junit");
    expect(junit.stdout).toContain('<failure message="expected deny, got allow">');
    expect(junit.code).toBe(1);
  });

  test("an invalid file, a file without tests and an unknown format fail", async () => {
    bench.write("policy.yaml", "version: 1\nrules:\n  - allow fs.wirte <x>\n");
    const junit = await testPolicy("--format", "junit");
    expect(junit.code).toBe(1);
    expect(junit.stdout).toContain('errors="1"');
    expect(junit.stdout.replaceAll(/<\/?(?:testsuites?|testcase|error|\?xml)[^<>]*>/g, "").trim()).toBe("");
    bench.write("policy.yaml", "version: 1\n");
    const none = await testPolicy();
    expect(none).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("There are no tests in policy.yaml"),
    });
    expect(await testPolicy("--format", "html")).toMatchObject({ code: 2, stdout: "" });
  });

  test("the action of the guide runs commands that exist", async () => {
    const runs = [...GUIDE.matchAll(/^ +(?:- )?run: npx toolkeep@[\d.]+ (.*?)(?: > .*)?$/gm)].map(
      ([, line = ""]) => line,
    );
    expect(runs.length).toBeGreaterThan(1);
    bench.write("policy.yaml", POLICY);
    for (const line of runs) expect(await bench.run(line.split(" "))).toMatchObject({ code: 0 });
  });
});
