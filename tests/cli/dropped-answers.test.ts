import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import { TEST_CALL } from "../../packages/cli/src/hooks/decide/confine/dropped-answers.ts";
import type { CliBench } from "./cli-bench.ts";
import { askHook, clientShell, confinedBench, hasSandbox, replaced } from "./confined-bench.ts";

let bench: CliBench;
beforeEach(async () => {
  if (!hasSandbox) return;
  bench = await confinedBench([]);
  bench.write("src/a.txt", "a\n");
});
afterEach(() => {
  vi.unstubAllEnvs();
  bench?.remove();
});

const COMMAND = "cat src/a.txt";

interface After {
  readonly event?: string;
  readonly more?: object;
}

/** What the client is told after it has run a call, as it reports it. */
async function after(callId: string, { event = "PostToolUse", more = {} }: After = {}) {
  const { stdout } = await runHook({
    client: "claude-code",
    environment: { CLAUDE_PROJECT_DIR: bench.project },
    text: JSON.stringify({
      ...{ session_id: "one", cwd: bench.project, hook_event_name: event, tool_use_id: callId },
      ...{ tool_name: "Bash", tool_input: { command: COMMAND }, tool_response: { stdout: "a" }, ...more },
    }),
  });
  return JSON.parse(stdout) as { readonly decision?: string; readonly reason?: string };
}

const asked = (callId: string, command = COMMAND) => askHook(command, bench, { conversation: "one", callId });
const outcomes = async () => {
  const { stdout } = await bench.runHere(["log", "--json"]);
  return (JSON.parse(stdout) as readonly { readonly outcome: string }[]).map(({ outcome }) => outcome);
};

describe.skipIf(!hasSandbox)("[peers 0.3] a client that drops the command of the hook", () => {
  test("is reported to the model, in the log and by doctor, and its commands ask until the test call runs in the sandbox", async () => {
    expect((await asked("call-1")).input).toBeDefined();
    const alarm = await after("call-1");
    expect(alarm).toMatchObject({
      decision: "block",
      reason: expect.stringContaining("outside of the sandbox"),
    });
    expect(await outcomes()).toEqual(["unconfined"]);
    const { stdout } = await bench.runHere(["doctor", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      isLive: false,
      findings: expect.arrayContaining([
        expect.objectContaining({ code: "answer_dropped", about: "claude-code" }),
      ]),
    });

    const again = await asked("call-2");
    expect(again).toMatchObject({ action: "ask", input: undefined });
    const questions = JSON.parse((await bench.run(["log", "--json", "--decision", "asked"])).stdout);
    expect(questions).toHaveLength(1);
    expect(again.reason).toContain(TEST_CALL);
    // Of several calls only the test call is confined, and dropping it as well keeps the alarm.
    expect((await asked("call-3", TEST_CALL)).input).toBeDefined();
    expect(await after("call-3")).toMatchObject({ decision: "block" });
    expect((await asked("call-4")).action).toBe("ask");

    const { line } = await replaced(TEST_CALL, bench, { conversation: "one", callId: "call-5" });
    expect(await clientShell(line, bench)).toMatchObject({ code: 0, stdout: "toolkeep-test-call\n" });
    expect(await after("call-5")).toEqual({});
    expect((await asked("call-6")).input).toBeDefined();
  });

  test("is one whose ids are not plain, and no command that holds the test call is the test call", async () => {
    const id = "functions.Bash:0|fc_1";
    await asked(id);
    expect(await after(id)).toMatchObject({ decision: "block" });
    for (const line of [`${TEST_CALL} && ${COMMAND}`, `${TEST_CALL} | cat`, `cd src && ${TEST_CALL}`])
      expect(await asked("call-2", line)).toMatchObject({ action: "ask", input: undefined });
  });

  test("may be any client if an entry of the record is damaged", async () => {
    const file = join(bench.environment.TOOLKEEP_HOME, "state/dropped-answers.json");
    writeFileSync(file, JSON.stringify({ version: 1, dropped: [{ client: "claude-code" }] }));
    expect((await asked("call-1")).action).toBe("ask");
  });

  test("is one whose command failed, too", async () => {
    await asked("call-1");
    expect(await after("call-1", { event: "PostToolUseFailure" })).toMatchObject({ decision: "block" });
  });

  test("is none that ran the command of the hook, whatever input it reports", async () => {
    const { line } = await replaced(COMMAND, bench, { conversation: "one", callId: "call-1" });
    expect(await clientShell(line, bench)).toMatchObject({ code: 0, stdout: "a\n" });
    expect(await after("call-1")).toEqual({});
    expect((await asked("call-2")).input).toBeDefined();
  });

  test.each([
    ["whose user refused the call", { event: "PermissionDenied" }],
    ["whose user interrupted it", { event: "PostToolUseFailure", more: { is_interrupt: true } }],
  ])("is none %s", async (_who, report) => {
    await asked("call-1");
    expect(await after("call-1", report)).toEqual({});
    expect((await asked("call-2")).input).toBeDefined();
  });

  test("is none that starts the command in the background a moment later", async () => {
    const { line } = await replaced(COMMAND, bench, { conversation: "one", callId: "call-1" });
    const reported = after("call-1", { more: { tool_response: { backgroundTaskId: "b" } } });
    expect(await clientShell(line, bench)).toMatchObject({ code: 0 });
    expect(await reported).toEqual({});
  });
});
