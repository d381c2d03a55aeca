import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { HookClientName } from "../../packages/cli/src/clients/hook-call.ts";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import type { CliBench } from "./cli-bench.ts";
import { clientShell, hasRun, hasSandbox } from "./confined-bench.ts";
import { hookBench } from "./hook-bench.ts";
import { type Payload, payloadsOf, withInput } from "./payloads.ts";

let bench: CliBench;

beforeAll(async () => {
  if (!hasSandbox) return;
  bench = hookBench();
  bench.write("src/a.txt", "a\n");
  for (const client of ["copilot", "opencode"]) {
    const { code, stderr } = await bench.run(["init", client, "--yes", "--confine", "--no-trust"]);
    if (code !== 0) throw new Error(stderr);
  }
  return bench.remove;
});

async function asked(client: HookClientName, input: Payload) {
  const payload = withInput(payloadsOf(client, bench)["shell"] as Payload, input);
  const { stdout } = await runHook({
    client,
    text: JSON.stringify(payload),
    environment: { HOME: bench.home },
    folder: bench.project,
  });
  return JSON.parse(stdout) as Payload;
}

describe.skipIf(!hasSandbox)("a command of Copilot CLI", () => {
  const replaced = async (input: Payload) =>
    (await asked("copilot", input))["modifiedArgs"] as Readonly<Record<string, string>> | undefined;

  test("runs in the sandbox, with its other arguments, and without an `allow`", async () => {
    const answer = await asked("copilot", { command: "cat src/a.txt; touch RAN", initial_wait: 30 });
    expect(Object.keys(answer)).toEqual(["modifiedArgs"]);
    const { command = "", ...others } = answer["modifiedArgs"] as Readonly<Record<string, string>>;
    expect(others).toEqual({ description: "Runs the tests", initial_wait: 30 });
    // The client's own rules are about the name of the program, and it asks about paths outside of the project.
    expect(command).toMatch(/^PATH=\S+\/state\/bin:"\$PATH" toolkeep exec --ticket [0-9a-f]{32} -- 'cat src/);
    expect(await clientShell(command, bench)).toEqual({ code: 0, stdout: "a\n", stderr: "" });
    expect(hasRun(bench)).toBe(true);
  });

  test("runs once, and only where it was decided", async () => {
    const { command = "" } = (await replaced({ command: "touch RAN" })) ?? {};
    expect((await clientShell(command, bench, { cwd: join(bench.project, "src") })).code).toBe(126);
    expect((await clientShell(command, bench)).code).toBe(126);
    expect(hasRun(bench)).toBe(false);
  });

  test.each([
    ["in a shell that the client keeps", { shellId: "one" }],
    ["in the background", { mode: "async" }],
    ["that outlives the client", { mode: "async", detach: true }],
    ["that needs the machine", { command: "docker ps" }],
    ["that starts an agent", { command: "copilot -p x" }],
  ])("is left as it is %s", async (_, input) => {
    expect(await replaced({ command: "cat src/a.txt", ...input })).toBeUndefined();
  });
});

describe.skipIf(!hasSandbox)("a command of opencode", () => {
  const replaced = async (input: Payload) =>
    (await asked("opencode", input))["args"] as Readonly<Record<string, string>> | undefined;

  test("runs in the sandbox, in the directory of its call", async () => {
    const answer = await asked("opencode", { command: "cat a.txt", workdir: "src", timeout: 5_000 });
    expect(answer["action"]).toBe("replace");
    const { command = "", ...others } = answer["args"] as Readonly<Record<string, string>>;
    expect(others).toEqual({ description: "Runs the tests", workdir: "src", timeout: 5_000 });
    const outcome = await clientShell(command, bench, { cwd: join(bench.project, "src") });
    expect(outcome).toEqual({ code: 0, stdout: "a\n", stderr: "" });
  });

  test("is left as it is where the client may have rules of its own about commands", async () => {
    for (const [path, text] of [
      ["opencode.json", '{ "permission": { "bash": { "git *": "deny" } } }'],
      [".opencode/opencode.jsonc", '{ "agent": { "build": { "tools": { "bash": false } } } }'],
      ["opencode.jsonc", '{ "permission": "{env:MODE}" }'],
      ["opencode.json", '{ "permission": "allow", "permission": "ask" }'],
      [".opencode/agent/one.md", "---\npermission:\n  bash: ask\n---\nx\n"],
    ] as const) {
      const file = bench.write(path, text);
      expect([path, await replaced({ command: "cat src/a.txt" })]).toEqual([path, undefined]);
      rmSync(file);
    }
    // What is not about permissions is no such rule.
    bench.write("opencode.json", '{ "autoupdate": false, "permission": "allow" }');
    expect(await replaced({ command: "cat src/a.txt" })).toBeDefined();
  });
});
