import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import type { CliBench } from "./cli-bench.ts";
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
  readonly permissionDecision?: string;
  readonly permissionDecisionReason?: string;
  readonly hookSpecificOutput?: { readonly permissionDecision: string };
}

const recorded = (name: string) => payloadsOf("copilot", bench)[name] as Payload;

async function answered(payload: Payload, client: "copilot" | "claude-code" = "copilot"): Promise<Answer> {
  const environment = { COPILOT_PROJECT_DIR: bench.project, CLAUDE_PROJECT_DIR: bench.project };
  const { stdout, stderr } = await runHook({ client, text: JSON.stringify(payload), environment });
  expect(stderr).toBe("");
  return JSON.parse(stdout) as Answer;
}

/** `left`: the client's own rules decide. Each call has a conversation of its own. */
async function decided(payload: Payload): Promise<string> {
  const alone = { ...payload, sessionId: crypto.randomUUID(), parentAgentId: undefined };
  return (await answered(alone)).permissionDecision ?? "left";
}

const used = (toolName: string, toolArgs: unknown) => ({ ...recorded("shell"), toolName, toolArgs });

describe("Copilot CLI", () => {
  test("gets the answers in the forms that its version was seen to take", async () => {
    const { answers, version } = JSON.parse(
      readFileSync(new URL("answers/copilot.json", import.meta.url), "utf8"),
    );
    expect(version).toBe("1.0.102");
    const keys = (answer: object) => Object.keys(answer).toSorted();
    expect(keys(await answered(recorded("read")))).toEqual(keys(answers.left.stdout));
    const asked = await answered(used("bash", { command: "git push", description: "x" }));
    expect(keys(asked)).toEqual(keys(answers.asked.stdout));
    expect(asked.permissionDecision).toBe(answers.asked.stdout.permissionDecision);
    const denied = await answered(withInput(recorded("write"), { path: join(bench.project, ".git/config") }));
    expect(keys(denied)).toEqual(keys(answers.denied.stdout));
    expect(denied.permissionDecision).toBe(answers.denied.stdout.permissionDecision);
    expect(denied.permissionDecisionReason).toContain("Only git may change files");
  });

  test("decides about what the policy allows itself", async () => {
    for (const name of ["read", "write", "edit", "grep", "glob", "task"])
      expect([name, await decided(recorded(name))]).toEqual([name, "left"]);
  });

  test("is never told to allow, also where a rule of the user allows: its own rules stay", async () => {
    writePolicy(
      bench,
      'version: 1\nrules:\n  - allow shell.run "npm test *"\n  - allow shell.run "npm test"\n',
    );
    expect(await answered(recorded("shell"))).toEqual({});
  });

  test("asks for what no rule allows, and says how to allow it", async () => {
    const { permissionDecision, permissionDecisionReason } = await answered(recorded("shell"));
    expect(permissionDecision).toBe("ask");
    expect(permissionDecisionReason).toMatch(/npm test/);
    expect(await decided(recorded("mcp"))).toBe("ask");
    expect(await decided(used("time_travel", {}))).toBe("ask");
    expect(await decided(used("session_store_sql", { query: "SELECT 1" }))).toBe("ask");
  });

  test("reads no key, whatever tool and argument names it", async () => {
    const key = writeHome(bench, ".ssh/id_ed25519", "not a real key");
    for (const call of [
      used("view", { path: key }),
      used("view", { path: join(bench.project, "a"), file_path: key }),
      used("bash", { command: `cat ${key}`, description: "x" }),
      used("edit", { path: key, old_str: "a", new_str: "b" }),
      used("create", { path: key, file_text: "x" }),
      used("view", JSON.stringify({ path: key })),
    ])
      expect(await decided(call)).toBe("deny");
    for (const call of [
      used("grep", { pattern: "x", paths: join(bench.home, ".ssh") }),
      used("grep", { pattern: "x", paths: [bench.project, join(bench.home, ".ssh")] }),
      used("glob", { pattern: "*", paths: [join(bench.home, ".ssh")] }),
    ])
      expect(await decided(call)).not.toBe("left");
  });

  test("a patch is decided by the files that it names, as a text and as an argument", async () => {
    const patch = (file: string) => `*** Begin Patch\n*** Update File: ${file}\n+y\n*** End Patch`;
    bench.write("src/a.ts", "x");
    expect(await decided(used("apply_patch", patch("src/a.ts")))).toBe("left");
    expect(await decided(used("apply_patch", { input: patch("src/a.ts") }))).toBe("left");
    expect(await decided(used("apply_patch", patch(".git/config")))).toBe("deny");
  });

  test("may query the database of the conversation, and no other one", async () => {
    expect(await decided(used("sql", { query: "UPDATE todos SET title = 'attach a file'" }))).toBe("left");
    for (const query of ["ATTACH DATABASE '/x' AS x", "attach/**/'/x' as x", "VACUUM INTO '/x'"])
      expect([query, await decided(used("sql", { query }))]).toEqual([query, "ask"]);
  });

  test("what changes its hooks, its settings or Toolkeep asks", async () => {
    for (const path of [
      join(bench.home, ".copilot/hooks/toolkeep-0123456789abcdef.json"),
      join(bench.home, ".copilot/settings.json"),
      join(bench.project, ".github/hooks/x.json"),
      join(bench.project, ".github/copilot/settings.local.json"),
      join(bench.project, ".claude/settings.local.json"),
    ]) {
      for (const call of [
        used("create", { path, file_text: "{}" }),
        used("edit", { path, old_str: "a", new_str: "b" }),
        used("bash", { command: `rm -f ${path}`, description: "x" }),
        used("bash", { command: `echo '{}' > ${path}`, description: "x" }),
      ])
        expect([path, call["toolName"], await decided(call)]).not.toContain("left");
    }
  });

  test("what a subagent reads counts for the agent that started it", async () => {
    const fetch = used("web_fetch", { url: "https://nodejs.org/api/" });
    expect((await answered(fetch)).permissionDecision).toBeUndefined();
    const private_ = { ...recorded("subagent"), toolName: "view", toolArgs: { path: "/etc/hosts" } };
    expect((await answered(private_)).permissionDecision).toBe("ask");
    const after = await answered(fetch);
    expect(after.permissionDecision).toBe("ask");
    expect(after.permissionDecisionReason).toContain("private data");
  });

  test("other events than the one before a call decide nothing", async () => {
    expect(await answered(recorded("after"))).toEqual({});
    expect(await answered(recorded("permission"))).toEqual({});
  });
});

describe("the hook of Claude Code, which Copilot CLI runs too", () => {
  test("knows its tools and arguments", async () => {
    expect(await answered(recorded("readAsClaude"), "claude-code")).toEqual({});
    const key = writeHome(bench, ".ssh/id_ed25519", "not a real key");
    const read = withInput(recorded("readAsClaude"), { path: key });
    expect((await answered(read, "claude-code")).hookSpecificOutput?.permissionDecision).toBe("deny");
    const shell = await answered(recorded("shellAsClaude"), "claude-code");
    expect(shell.hookSpecificOutput?.permissionDecision).toBe("ask");
  });

  test("does not allow either", async () => {
    writePolicy(bench, 'version: 1\nrules:\n  - allow shell.run "npm test"\n');
    expect(await answered(recorded("shellAsClaude"), "claude-code")).toEqual({});
    const claude = { ...recorded("shellAsClaude"), timestamp: undefined, transcript_path: "/x" };
    const { hookSpecificOutput } = await answered(claude, "claude-code");
    expect(hookSpecificOutput?.permissionDecision).toBe("allow");
  });
});
