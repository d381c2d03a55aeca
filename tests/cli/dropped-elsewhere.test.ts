import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { HookClientName } from "../../packages/cli/src/clients/hook-call.ts";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import { droppedAnswers } from "../../packages/cli/src/hooks/decide/confine/dropped-answers.ts";
import type { CliBench } from "./cli-bench.ts";
import { hasSandbox } from "./confined-bench.ts";
import { hookBench } from "./hook-bench.ts";
import { type Payload, payloadsOf, withInput } from "./payloads.ts";

let bench: CliBench;
beforeEach(() => {
  bench = hookBench();
  bench.write("src/a.txt", "a\n");
  vi.spyOn(process, "cwd").mockReturnValue(bench.project);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  bench.remove();
});

const COMMAND = "cat src/a.txt";

async function told(client: HookClientName, payload: Payload): Promise<string> {
  const { stdout } = await runHook({
    client,
    text: JSON.stringify(payload),
    environment: { HOME: bench.home },
    folder: bench.project,
  });
  return stdout;
}

async function installed(client: HookClientName): Promise<void> {
  const { code, stderr } = await bench.run(["init", client, "--yes", "--confine", "--no-trust"]);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
}

describe.skipIf(!hasSandbox)("[peers 0.3] a client that drops the command of the hook", () => {
  test("is opencode: its report raises the alarm, and its next command is refused with the test call", async () => {
    await installed("opencode");
    const before = withInput(payloadsOf("opencode", bench)["shell"] as Payload, { command: COMMAND });
    expect(await told("opencode", before)).toContain(" exec --ticket ");
    await told("opencode", { ...before, event: "tool.execute.after", args: { command: COMMAND }, exit: 0 });
    expect(await droppedAnswers()).toMatchObject([{ client: "opencode" }]);
    const next = JSON.parse(await told("opencode", { ...before, callID: "call-2" }));
    expect(next).toMatchObject({ action: "deny", reason: expect.stringContaining("toolkeep-test-call") });
  });

  test("is Codex: the model gets the reason with the result, and its next command is refused", async () => {
    await installed("codex");
    const recorded = payloadsOf("codex", bench)["shell"] as Payload;
    // The client's own sandbox is off, as its record of the turn says.
    const file = String(recorded["transcript_path"]);
    const payload = { turn_id: recorded["turn_id"], sandbox_policy: { type: "danger-full-access" } };
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify({ type: "turn_context", payload })}\n`);
    const before = withInput(recorded, { command: COMMAND });
    expect(await told("codex", before)).toContain(" exec --ticket ");
    const after = { ...before, hook_event_name: "PostToolUse", tool_response: "a\n" };
    expect(JSON.parse(await told("codex", after))).toMatchObject({
      decision: "block",
      reason: expect.stringContaining("outside of the sandbox"),
    });
    expect(await told("codex", { ...before, tool_use_id: "call-2" })).toContain("toolkeep-test-call");
  });
});
