import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import { opencode } from "../../packages/cli/src/hooks/read/opencode.ts";
import type { CliBench } from "./cli-bench.ts";
import { commitAll, initGit } from "./git-project.ts";
import { hookBench, writeHome, writePolicy } from "./hook-bench.ts";
import { type Payload, payloadsOf, withInput } from "./payloads.ts";

let bench: CliBench;
beforeEach(() => {
  bench = hookBench();
});
afterEach(() => {
  vi.unstubAllEnvs();
  bench.remove();
});

interface Answer {
  readonly action: string;
  readonly reason?: string;
}

const recorded = (name: string) => payloadsOf("opencode", bench)[name] as Payload;

async function answered(payload: Payload): Promise<Answer> {
  const text = JSON.stringify(payload);
  const { stdout, stderr } = await runHook({ client: "opencode", text, environment: { HOME: bench.home } });
  expect(stderr).toBe("");
  return JSON.parse(stdout) as Answer;
}

/** Each call has a conversation of its own. */
const decided = async (payload: Payload) =>
  (await answered({ ...payload, rootID: crypto.randomUUID() })).action;
const used = (tool: string, args: Payload) => ({ ...recorded("shell"), tool, args });

describe("opencode", () => {
  test("gets the answers in the forms that the plugin takes", async () => {
    const { answers } = JSON.parse(readFileSync(new URL("answers/opencode.json", import.meta.url), "utf8"));
    expect(await answered(recorded("read"))).toEqual(answers.left.stdout);
    const denied = await answered(
      withInput(recorded("write"), { filePath: join(bench.project, ".git/config") }),
    );
    expect(Object.keys(denied)).toEqual(Object.keys(answers.denied.stdout));
    expect(denied).toMatchObject({
      action: "deny",
      reason: expect.stringContaining("Only git may change files"),
    });
  });

  test("decides about what the policy allows itself", async () => {
    for (const name of ["read", "write", "edit", "grep", "glob", "task", "fetch"])
      expect([name, await decided(recorded(name))]).toEqual([name, "none"]);
    writePolicy(bench, 'version: 1\nrules:\n  - allow shell.run "npm test"\n');
    expect(await decided(recorded("shell"))).toBe("none");
  });

  test("cannot ask, so what asks is denied, with the rule that allows it and the file for it", async () => {
    const { action, reason } = await answered(used("bash", { command: "frobnicate x" }));
    expect(action).toBe("deny");
    expect(reason).toContain("the client cannot ask here");
    expect(reason).toContain("run `toolkeep allow 'frobnicate x'`");
    for (const call of [
      recorded("shell"),
      recorded("mcp"),
      used("time_travel", {}),
      used("bash", { command: "git push" }),
    ])
      expect(await decided(call)).toBe("deny");
  });

  test("says the rule for a tool of a server too", async () => {
    const servers = { "my-mail": { type: "local", command: ["x"] } };
    writeHome(bench, ".config/opencode/opencode.json", JSON.stringify({ mcp: servers }));
    const { reason } = await answered(recorded("mcp"));
    expect(reason).toMatch(/run `toolkeep allow '?mcp:my-mail:send_mail'?`/);
    writePolicy(bench, "version: 1\nrules:\n  - allow mcp:my-mail:send_mail\n");
    expect(await decided(recorded("mcp"))).toBe("none");
  });

  test("may change versions in a manifest that git has as it is, and nothing else that commands follow", async () => {
    initGit(bench);
    bench.write("Makefile", "all:\n");
    bench.write("package.json", '{ "scripts": { "test": "node --test" }, "dependencies": {} }');
    commitAll(bench);
    const write = (path: string) =>
      decided(used("write", { filePath: join(bench.project, path), content: "x" }));
    const edit = (oldString: string, newString: string) =>
      decided(used("edit", { filePath: join(bench.project, "package.json"), oldString, newString }));
    expect(await edit('"dependencies": {}', '"dependencies": { "zod": "^4" }')).toBe("none");
    expect(await edit("node --test", "sh x")).toBe("deny");
    for (const path of ["Makefile", "setup.py", "CLAUDE.md"])
      expect([path, await write(path)]).toEqual([path, "deny"]);
  });

  test("reads no key, whatever tool and argument names it", async () => {
    const key = writeHome(bench, ".ssh/id_ed25519", "not a real key");
    for (const call of [
      used("read", { filePath: key }),
      used("read", { filePath: join(bench.project, "a"), path: key }),
      used("bash", { command: "cat id_ed25519", workdir: join(bench.home, ".ssh") }),
      used("grep", { pattern: "x", path: join(bench.home, ".ssh") }),
      used("glob", { pattern: "*", path: join(bench.home, ".ssh") }),
      used("edit", { filePath: key, oldString: "a", newString: "b" }),
      used("apply_patch", { patchText: `*** Begin Patch\n*** Update File: ${key}\n+y\n*** End Patch` }),
    ])
      expect([call.tool, await decided(call)]).toEqual([call.tool, "deny"]);
  });

  test("does not change its plugins, its settings and Toolkeep", async () => {
    for (const path of [
      join(bench.home, ".config/opencode/plugins/toolkeep-0123456789abcdef.js"),
      join(bench.home, ".config/opencode/opencode.json"),
      join(bench.project, ".opencode/plugins/x.js"),
      join(bench.project, "opencode.json"),
    ])
      for (const call of [
        used("write", { filePath: path, content: "x" }),
        used("bash", { command: `rm -f ${path}` }),
      ])
        expect([path, call.tool, await decided(call)]).toEqual([path, call.tool, "deny"]);
  });

  test.each([
    [0, "ran"],
    [1, "failed"],
    [undefined, "ran"],
  ])("reports what became of a call that ended with %s", async (exit, outcome) => {
    const called = { ...recorded("read"), callID: "call_1" };
    await answered(called);
    const { stdout: before } = await bench.runHere(["log", "--json"]);
    expect(JSON.parse(before)).toMatchObject([{ decision: "allowed", outcome: "unknown" }]);
    await answered({ ...called, event: "tool.execute.after", exit });
    const { stdout } = await bench.runHere(["log", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject([{ decision: "allowed", outcome }]);
  });

  test("what a subagent reads counts for the agent that started it", () => {
    const conversationOf = (name: string) => opencode.read(recorded(name), {})?.conversation;
    expect(conversationOf("subagent")).toBe(conversationOf("shell"));
  });
});
