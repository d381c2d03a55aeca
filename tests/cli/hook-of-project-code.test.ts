import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { openSqliteStore } from "@toolkeep/sqlite";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import type { CliBench } from "./cli-bench.ts";
import { hookBench, writePolicy } from "./hook-bench.ts";

let bench: CliBench;
beforeEach(() => {
  bench = hookBench();
  execFileSync("git", ["init", "-q", "."], { cwd: bench.project });
  bench.write("package.json", "{}");
});
afterEach(() => {
  vi.unstubAllEnvs();
  bench.remove();
});

const CONVERSATION = "one";

async function decided(tool: string, input: object, conversation: string = crypto.randomUUID()) {
  const text = JSON.stringify({
    hook_event_name: "PreToolUse",
    session_id: conversation,
    tool_name: tool,
    tool_input: input,
    cwd: bench.project,
  });
  const { stdout } = await runHook({
    client: "claude-code",
    text,
    environment: { CLAUDE_PROJECT_DIR: bench.project },
  });
  // What the recommended rules allow is left to the client.
  const { permissionDecision = "allow", permissionDecisionReason = "" } =
    JSON.parse(stdout).hookSpecificOutput ?? {};
  return { action: String(permissionDecision), reason: String(permissionDecisionReason) };
}

const action = async (command: string, conversation?: string) =>
  (await decided("Bash", { command }, conversation)).action;

const OWN_CODE = ["npm test", 'git commit -m "x"', "git checkout -b topic", "git stash"];

function activateHooks(): void {
  for (const name of ["pre-commit", "post-checkout", "post-index-change"])
    bench.write(`.git/hooks/${name}`, "#!/bin/sh\nnpm test\n", 0o755);
}

describe("the project's own code in a client without a sandbox", () => {
  test("git is allowed if no hook of the project runs", async () => {
    expect(await action("npm test")).toBe("ask");
    for (const command of OWN_CODE.slice(1)) expect(await action(command), command).toBe("allow");
  });

  test("[attack 15] a git command whose hooks run it asks, as `npm test` does", async () => {
    activateHooks();
    for (const command of OWN_CODE) expect(await action(command), command).toBe("ask");
    const { reason } = await decided("Bash", { command: 'git commit -m "x"' });
    expect(reason).toContain("shell.run .git/hooks/pre-commit");
    expect(reason).toContain("it runs the project's own code");
    expect(await action("git log --oneline")).toBe("allow");
  });

  test("rules of the user allow both, until a script or a hook changes in the conversation", async () => {
    activateHooks();
    writePolicy(
      bench,
      'version: 1\nextends: [toolkeep:recommended]\nrules:\n  - allow shell.run "npm test *"\n  - allow shell.run ".git/hooks/*"\n',
    );
    for (const command of OWN_CODE) expect(await action(command, CONVERSATION), command).toBe("allow");
    const file = { file_path: join(bench.project, "src/a.ts"), content: "x" };
    expect((await decided("Write", file, CONVERSATION)).action).toBe("allow");
    for (const command of OWN_CODE) expect(await action(command, CONVERSATION), command).toBe("allow");
    bench.write("package.json", JSON.stringify({ scripts: { test: "node --test" }, version: "1.0.0" }));
    const edit = (old_string: string, new_string: string) =>
      decided(
        "Edit",
        { file_path: join(bench.project, "package.json"), old_string, new_string },
        CONVERSATION,
      );
    await edit('"version":"1.0.0"', '"version":"1.0.1"');
    await edit('"1.0.0"}', '"1.0.0","dependencies":{"zod":"^4.0.0"}}');
    for (const command of OWN_CODE) expect(await action(command, CONVERSATION), command).toBe("allow");
    await edit("node --test", "node --test --watch");
    expect((await decided("Bash", { command: "npm test" }, CONVERSATION)).reason).toContain(
      'It runs code from the script "test" of',
    );
    for (const command of OWN_CODE.slice(0, 3))
      expect(await action(command, CONVERSATION), command).toBe("ask");
    expect(await action("git log", CONVERSATION)).toBe("allow");
    for (const command of OWN_CODE) expect(await action(command), command).toBe("allow");
  });
});

describe("a refusal with a safe form", () => {
  test("names an allowed command, and the journal has its own watchdog name", async () => {
    bench.write(".env", "PASSWORD=1");
    bench.write("src/a.ts", "let a");
    const { action: decision, reason } = await decided("Bash", { command: "grep -rn let ." }, CONVERSATION);
    expect(decision).toBe("deny");
    const form = / needs no approval: (.+)$/.exec(reason)?.[1] ?? "";
    expect(form).not.toBe("");
    expect(await action(form, CONVERSATION)).toBe("allow");
    const store = openSqliteStore({ path: join(bench.environment.TOOLKEEP_HOME, "state", "sessions") });
    try {
      const text = JSON.stringify(await Array.fromAsync(store.journal(`claude-code.${CONVERSATION}`).read()));
      expect(text).toContain("watchdog: safe-form");
    } finally {
      await store.close();
    }
  });

  test("does not taint the session, because the file was not read", async () => {
    bench.write(".env", "PASSWORD=1");
    const fetching = { url: "https://nodejs.org/api/", prompt: "x" };
    await decided("Bash", { command: "grep -rn let ." }, CONVERSATION);
    expect((await decided("WebFetch", fetching, CONVERSATION)).action).toBe("allow");
    await decided("Bash", { command: "cat .env" }, CONVERSATION);
    expect((await decided("WebFetch", fetching, CONVERSATION)).action).toBe("ask");
  });

  test("is not offered if the policy does not allow it", async () => {
    bench.write(".env", "PASSWORD=1");
    writePolicy(
      bench,
      'version: 1\nextends: [toolkeep:recommended]\nrules:\n  - ask shell.run "{grep,rg} *"\n',
    );
    expect(await action("grep -rn let .")).toBe("ask");
  });

  test("a final deny of a path applies to a search of the tree, and to git commands that show it", async () => {
    bench.write("customers/list.csv", "x");
    bench.write("src/a.ts", "x");
    execFileSync("git", ["add", "-A"], { cwd: bench.project });
    writePolicy(
      bench,
      'version: 1\nextends: [toolkeep:recommended]\nrules:\n  - deny fs.* "**/customers/**"\n',
    );
    for (const command of [
      "grep -r x .",
      "cat customers/*",
      "git grep x",
      "git diff",
      "git log -p",
      "diff -r src customers",
    ])
      expect(await action(command), command).toBe("deny");
    for (const command of ["grep -r x src", "git diff --stat", "git log --oneline"])
      expect(await action(command), command).toBe("allow");
    const { reason } = await decided("Bash", { command: "git log -p" });
    expect(reason).toContain("This command needs no approval: git log -p -- . ':!customers/list.csv'");
  });
});
