import { defineTool, type ToolContext, ToolFailure, textContent, toolOutput } from "@toolkeep/core";
import { defined, fsRead, terminalText } from "@toolkeep/core/internal";
import { COMMAND_REQUIREMENTS, commandLineEffects } from "../shell/command-line.ts";
import { PROJECT_FILES, RUNNERS, type RunnerName, runnerOf, testLine, type WantedTests } from "./runners.ts";
import { TEST_INPUT } from "./test-input.ts";
import type { FailedTest, TestReport } from "./test-report.ts";

const KEEP_BYTES = 4_000_000;
const TIMEOUT_MS = 600_000;
const ALIVE_MS = 30_000;
const MOST_FAILURES = 200;
const LONGEST_OUTPUT = 8_000;

interface TestCall extends WantedTests {
  readonly runner?: RunnerName;
  readonly workdir?: string;
}

/**
 * The tool `test_runner`: runs the tests of a project and says how many passed, and which failed where. Decided about
 * like the same command line in `bash`. Without `runner` it only looks which one the project has, and the run is a
 * call of its own.
 */
export function testRunnerTool() {
  return defineTool({
    name: "test_runner",
    label: "Run tests",
    description:
      "Runs the tests of a project (Vitest, Jest, node:test, pytest, go test or cargo test; detected where `runner` is left out) and returns the counts and the failing tests with file and line.",
    mode: "local",
    kind: "execute",
    inputSchema: TEST_INPUT,
    requires: COMMAND_REQUIREMENTS,
    effects: (call, resolver) => {
      const { runner, workdir, ...wanted } = call as TestCall;
      if (runner === undefined) return PROJECT_FILES.map((name) => fsRead(inFolder(workdir, name)));
      return lineEffects({ command: testLine(runner, wanted), ...defined({ workdir }) }, resolver);
    },
    execute: (call, ctx) => {
      const { runner, ...rest } = call as TestCall;
      return runner === undefined ? runDetected(rest, ctx) : runTests({ ...rest, runner }, ctx);
    },
  });
}

const lineEffects = commandLineEffects({});

function inFolder(folder: string | undefined, name: string): string {
  return folder === undefined ? name : `${folder}/${name}`;
}

async function runDetected(call: Omit<TestCall, "runner">, ctx: ToolContext) {
  const files = new Map<string, string>();
  for (const name of PROJECT_FILES) {
    const text = await textOf(inFolder(call.workdir, name), ctx);
    if (text !== undefined) files.set(name, text);
  }
  const runner = runnerOf(files);
  if (runner === undefined)
    throw new ToolFailure("not_found", "The project has no file that tells how its tests are run.", {
      hint: `Give \`runner\`, or \`workdir\` for the folder that has ${PROJECT_FILES.join(", ")}.`,
    });
  const result = await ctx.call("test_runner", { ...call, runner });
  if (!result.ok) throw new ToolFailure("tool_failed", result.failure?.message ?? "The tests did not run.");
  return toolOutput({
    data: result.data,
    ...(result.content === undefined ? {} : { content: result.content }),
  });
}

async function textOf(path: string, { io }: ToolContext): Promise<string | undefined> {
  try {
    return new TextDecoder().decode((await io.files.read(path)).bytes);
  } catch (error) {
    if (ToolFailure.isInstance(error) && error.code === "not_found") return undefined;
    throw error;
  }
}

async function runTests(call: TestCall & { readonly runner: RunnerName }, ctx: ToolContext) {
  const { runner, workdir, ...wanted } = call;
  const alive = setInterval(() => ctx.progress("the tests are still running"), ALIVE_MS);
  try {
    const outcome = await ctx.io.commands.run({
      line: testLine(runner, wanted),
      keepBytes: KEEP_BYTES,
      timeoutMs: TIMEOUT_MS,
      ...(workdir === undefined ? {} : { cwd: workdir }),
    });
    const output = new TextDecoder().decode(outcome.output?.head);
    const report = RUNNERS[runner].read(output);
    if (report === undefined || outcome.exitCode === null) throw noReport(runner, output, outcome.stopped);
    return reported(runner, report, { output, exitCode: outcome.exitCode });
  } finally {
    clearInterval(alive);
  }
}

interface Ended {
  readonly output: string;
  readonly exitCode: number;
}

function reported(runner: RunnerName, report: TestReport, { output, exitCode }: Ended) {
  const failures = report.failures.slice(0, MOST_FAILURES);
  const { passed, failed, skipped } = report;
  const counts = `${runner}: ${passed} passed, ${failed} failed, ${skipped} skipped.`;
  // A runner that fails without a failed test could not run some of them.
  const isUnclear = exitCode !== 0 && failed === 0;
  const said = isUnclear ? [`It ended with exit code ${exitCode}:`, endOf(output)] : [];
  return toolOutput({
    data: { runner, passed, failed, skipped, exitCode, failures },
    content: [textContent([counts, ...failures.map(lineOf), ...said].join("\n"))],
  });
}

function lineOf({ name, file, line, message }: FailedTest): string {
  const place = file === undefined ? "" : ` (${file}${line === undefined ? "" : `:${line}`})`;
  return `failed: ${name}${place}${message === undefined ? "" : `: ${message}`}`;
}

function noReport(runner: RunnerName, output: string, stopped: string | undefined): ToolFailure {
  const why = stopped === undefined ? "did not report any tests" : `was ended: ${stopped}`;
  return new ToolFailure("tool_failed", `${runner} ${why}.\n${endOf(output)}`);
}

function endOf(output: string): string {
  return terminalText(output.slice(-LONGEST_OUTPUT)).trim();
}
