import { join } from "node:path";
import { openSqliteStore } from "@toolkeep/sqlite";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import type { CliBench } from "./cli-bench.ts";
import { hookBench } from "./hook-bench.ts";

let bench: CliBench;
beforeEach(() => {
  bench = hookBench();
});
afterEach(() => {
  vi.unstubAllEnvs();
  bench.remove();
});

async function hook(event: string, id: string, more: object = {}) {
  const payload = {
    ...{ session_id: "one", cwd: bench.project, permission_mode: "default", hook_event_name: event },
    ...{ tool_name: "Bash", tool_input: { command: "git push" }, tool_use_id: id, ...more },
  };
  const environment = { CLAUDE_PROJECT_DIR: bench.project };
  return runHook({ client: "claude-code", text: JSON.stringify(payload), environment });
}

async function logged(): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { stdout } = await bench.run(["log", "--json"]);
  return JSON.parse(stdout || "[]");
}

const NOTHING = { stdout: "{}\n", stderr: "", exitCode: 0 };

describe("[editor B2] the log says what is known of a call, and no more", () => {
  test.each([
    ["ran", "PostToolUse", { tool_response: { stdout: "" } }],
    ["started", "PostToolUse", { tool_response: { stdout: "", backgroundTaskId: "b1" } }],
    ["failed", "PostToolUseFailure", { error: "Exit code 3", is_interrupt: false }],
    ["refused", "PermissionDenied", { reason: "Blocked by classifier" }],
  ])("%s", async (outcome, event, more) => {
    await hook("PreToolUse", "toolu_1");
    await hook("PreToolUse", "toolu_2");
    expect(await hook(event, "toolu_1", more)).toEqual(NOTHING);
    expect(await logged()).toMatchObject([
      { sessionId: "claude-code.one", decision: "delegated", outcome },
      { sessionId: "claude-code.one", decision: "delegated", outcome: "unknown" },
    ]);
  });

  test("in words, and a shortened id names the conversation", async () => {
    await hook("PreToolUse", "toolu_1");
    await hook("PreToolUse", "toolu_2", { tool_input: { command: "git status" } });
    await hook("PostToolUse", "toolu_2");
    const { stdout } = await bench.run(["log", "claude-code.on"]);
    expect(stdout).toContain("left to the client; outcome unknown; asked by rules");
    expect(stdout).toMatch(/allowed by rule: .*; left to the client; ran/);
    expect(stdout).not.toContain("client_report");
  });

  test("a report of a call that was not decided here, or without an id, changes nothing", async () => {
    await hook("PreToolUse", "toolu_1");
    expect(await hook("PostToolUse", "other")).toEqual(NOTHING);
    expect(await hook("PostToolUse", "toolu_1", { tool_use_id: undefined })).toEqual(NOTHING);
    expect(await logged()).toMatchObject([{ outcome: "unknown" }]);
  });

  test("a denied call stays denied, whatever is reported", async () => {
    await hook("PreToolUse", "toolu_1", { tool_input: { command: "git push --force" } });
    await hook("PostToolUse", "toolu_1");
    expect(await logged()).toMatchObject([{ decision: "denied", outcome: "denied" }]);
  });

  test("reports do not wait for the decision about the next call, and are in the audit log", async () => {
    await hook("PreToolUse", "toolu_1");
    await Promise.all([hook("PostToolUse", "toolu_1"), hook("PreToolUse", "toolu_2")]);
    const store = openSqliteStore({ path: join(bench.environment.TOOLKEEP_HOME, "state", "sessions") });
    expect(await store.verify("claude-code.one.outcomes")).toMatchObject({ intact: true });
    await store.close();
  });
});
