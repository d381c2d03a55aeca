import { spawn } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CliBench, cliBench, OWN_COMMAND } from "./cli-bench.ts";
import { type Payload, payloadsOf, withInput } from "./payloads.ts";

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
});
afterEach(() => bench.remove());

const hook = (client: string, payload: Payload | string, env: Readonly<Record<string, string>> = {}) =>
  bench.run(["hook", client], {
    stdin: typeof payload === "string" ? payload : JSON.stringify(payload),
    env: { CLAUDE_PROJECT_DIR: bench.project, ...env },
  });

const storeFolder = () => join(bench.environment.TOOLKEEP_HOME, "state", "sessions");

describe("the program of a hook", () => {
  test("writes only its answer to standard output", async () => {
    const { write } = payloadsOf("claude-code", bench);
    const denied = withInput(write as Payload, { file_path: join(bench.project, ".git/config") });
    const outcome = await hook("claude-code", denied);
    expect(outcome).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(outcome.stdout)).toMatchObject({
      hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" },
    });
    expect(await hook("claude-code", write as Payload)).toMatchObject({
      code: 0,
      stdout: "{}\n",
      stderr: "",
    });
  });

  test.each([
    ["its directories are not usable", { TOOLKEEP_HOME: "relative" }],
    ["its configuration does not exist", { TOOLKEEP_CONFIG: "/nowhere/config.jsonc" }],
  ])("blocks with 2 if %s", async (_what, env) => {
    const outcome = await hook("claude-code", payloadsOf("claude-code", bench)["write"] as Payload, env);
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
    expect(outcome.stderr).toContain("could not decide");
  });

  test("blocks with 2 if other users can read its store", async () => {
    mkdirSync(storeFolder(), { recursive: true });
    chmodSync(storeFolder(), 0o777);
    const outcome = await hook("claude-code", payloadsOf("claude-code", bench)["write"] as Payload);
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
  });

  test("blocks with 2 for an unknown client or option", async () => {
    expect(await hook("notepad", "{}")).toMatchObject({ code: 2, stdout: "" });
    expect(await bench.run(["hook", "claude-code", "--nonsense"])).toMatchObject({ code: 2, stdout: "" });
  });

  test.skipIf(process.env["TOOLKEEP_RUNS"] === undefined)(
    "blocks after ten seconds if its input does not end (slow: with TOOLKEEP_RUNS)",
    async () => {
      const [program, ...args] = OWN_COMMAND;
      const child = spawn(program, [...args, "hook", "cursor"], {
        cwd: bench.project,
        env: bench.environment,
      });
      const code = await new Promise((resolve) => child.on("close", resolve));
      expect(code).toBe(2);
    },
  );
});
