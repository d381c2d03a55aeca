import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createProjectTrust } from "@toolkeep/node";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import type { CliBench } from "./cli-bench.ts";
import { hookBench, writePolicy } from "./hook-bench.ts";

const RECOMMENDED = "version: 1\nextends: [toolkeep:recommended]\n";
const LABELS = `${RECOMMENDED}rules:\n  - label private "customers/**"\n  - label untrusted "vendor/**"\n`;

let bench: CliBench;
beforeEach(() => {
  bench = hookBench();
  bench.write("customers/a.csv", "name,iban\n");
  bench.write("vendor/README.md", "# vendor\n");
  bench.write("src/a.ts", "export {};\n");
  bench.write(".env", "KEY=1\n");
  writePolicy(bench, LABELS);
});
afterEach(() => {
  vi.unstubAllEnvs();
  bench.remove();
});

async function asks(conversation: string, tool: string, input: object, mode = "default") {
  const payload = {
    ...{ session_id: conversation, cwd: bench.project, permission_mode: mode },
    ...{ hook_event_name: "PreToolUse", tool_name: tool, tool_input: input, tool_use_id: randomUUID() },
  };
  const environment = { CLAUDE_PROJECT_DIR: bench.project };
  const { stdout } = await runHook({ client: "claude-code", text: JSON.stringify(payload), environment });
  const { permissionDecision = "none", permissionDecisionReason = "" } =
    JSON.parse(stdout || "{}").hookSpecificOutput ?? {};
  return { action: String(permissionDecision), reason: String(permissionDecisionReason) };
}

const at = (path: string) => join(bench.project, path);
const reads = (conversation: string, path: string) => asks(conversation, "Read", { file_path: at(path) });
const runs = (conversation: string, command: string) => asks(conversation, "Bash", { command });
const fetches = (conversation: string) =>
  asks(conversation, "WebFetch", { url: "https://nodejs.org/api/", prompt: "x" });

/** As the client does after the hook has let it pass. */
async function writes(conversation: string, path: string, content: string): Promise<void> {
  await asks(conversation, "Write", { file_path: at(path), content });
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), content);
}

describe("labels of the user's policy", () => {
  test.each([
    ["Read", { file_path: "{project}/customers/a.csv" }],
    ["Grep", { pattern: "DE89", path: "{project}/customers" }],
    ["Bash", { command: "cat customers/a.csv" }],
    ["Bash", { command: "rg DE89" }],
    ["Bash", { command: "git grep DE89" }],
  ])("%s %j reads private data: a page asks afterwards", async (tool, input) => {
    expect((await fetches("one")).action).toBe("none");
    const text = JSON.stringify(input).replace("{project}", bench.project);
    await asks("one", tool, JSON.parse(text));
    expect((await fetches("one")).action).toBe("ask");
    expect((await fetches("two")).action).toBe("none");
  });

  test("a page is not left to a client that asks nothing, once private data was read", async () => {
    await createProjectTrust({ decide: () => "trust" }).of(bench.project);
    const page = { url: "https://somewhere.example.com/a", prompt: "x" };
    expect((await asks("one", "WebFetch", page, "bypassPermissions")).action).toBe("none");
    await reads("one", "customers/a.csv");
    const { action, reason } = await asks("one", "WebFetch", page, "bypassPermissions");
    expect(action).toBe("ask");
    expect(reason).toMatch(/could send private data away: step \d reads .*customers\/a\.csv/);
  });

  test("a page asks about nothing after a search elsewhere", async () => {
    await runs("one", "rg TODO src");
    await reads("one", "src/a.ts");
    expect((await fetches("one")).action).toBe("none");
  });

  test("what a vendor gave is content from outside", async () => {
    writePolicy(bench, `${LABELS}  - allow shell.run "node src/send.js"\n`);
    await reads("one", "customers/a.csv");
    expect((await runs("one", "node src/send.js")).action).toBe("allow");
    await reads("one", "vendor/README.md");
    const { action, reason } = await runs("one", "node src/send.js");
    expect(action).toBe("ask");
    expect(reason).toMatch(/label private .*customers.*label untrusted .*vendor/);
  });
});

describe("a file that a conversation with private data wrote", () => {
  const SECRET = "the key is 1, and that is what it takes to be told apart from other texts\n";

  test("is private in the next one", async () => {
    await reads("one", ".env");
    await writes("one", "src/note.txt", SECRET);
    expect((await fetches("two")).action).toBe("none");
    await reads("two", "src/note.txt");
    const { action } = await fetches("two");
    expect(action).toBe("ask");
    await runs("three", "cat src/note.txt");
    expect((await fetches("three")).action).toBe("ask");
    await runs("four", "rg takes src");
    expect((await fetches("four")).action).toBe("ask");
  });

  test("is ordinary where a conversation without labels wrote it", async () => {
    await writes("one", "src/note.txt", SECRET);
    await reads("two", "src/note.txt");
    expect((await fetches("two")).action).toBe("none");
  });
});
