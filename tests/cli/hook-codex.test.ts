import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { isAnswer } from "../../packages/cli/src/hooks/answer/check-answer.ts";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import type { CliBench } from "./cli-bench.ts";
import { commitAll, initGit } from "./git-project.ts";
import { hookBench, writePolicy } from "./hook-bench.ts";
import { type Payload, payloadsOf, withInput } from "./payloads.ts";

let bench: CliBench;
beforeEach(() => {
  bench = hookBench();
  // The client starts its hooks in the directory of its project.
  vi.spyOn(process, "cwd").mockReturnValue(bench.project);
  initGit(bench);
  bench.write("package.json", '{ "scripts": { "test": "node --test" } }');
  bench.write("src/a.ts", "x");
  commitAll(bench);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  bench.remove();
});

async function answered(payload: Payload) {
  const text = JSON.stringify({ ...payload, session_id: crypto.randomUUID() });
  const answer = await runHook({ client: "codex", text, environment: {} });
  expect(isAnswer(answer, "codex")).toBe(true);
  return answer;
}

const recorded = (name: string) => payloadsOf("codex", bench)[name] as Payload;
const run = (command: string) => withInput(recorded("shell"), { command });
const patch = (...lines: readonly string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");

/** `none` if the call is left to the client, otherwise the reason of the denial. */
async function said(payload: Payload): Promise<string> {
  const { hookSpecificOutput: specific } = JSON.parse((await answered(payload)).stdout) as {
    readonly hookSpecificOutput?: {
      readonly permissionDecision: string;
      readonly permissionDecisionReason: string;
    };
  };
  if (specific === undefined) return "none";
  expect(specific.permissionDecision).toBe("deny");
  return specific.permissionDecisionReason;
}

describe("Codex, whose hooks cannot ask", () => {
  test("is left alone with what the policy allows", async () => {
    for (const payload of [run("git status"), run("rg TODO src"), recorded("patch")])
      expect([payload["tool_input"], await said(payload)]).toEqual([payload["tool_input"], "none"]);
  });

  test("is denied what the policy denies, with the reason", async () => {
    expect(await said(run("cat ~/.ssh/id_ed25519"))).toMatch(/^Toolkeep: /);
    const git = patch("*** Update File: .git/config", "@@", "+x");
    expect(await said(withInput(recorded("patch"), { command: git }))).toContain("Only git may change files");
  });

  test("is denied what asks, with what to add so that it is allowed", async () => {
    const reason = await said(run("terraform apply"));
    expect(reason).toContain("the client cannot ask here");
    expect(reason).toMatch(/run `toolkeep allow .*`/);
    expect(await said(recorded("mcp"))).toContain("the client cannot ask here");
    expect(await said({ ...recorded("shell"), tool_name: "TimeTravel" })).toContain("cannot ask here");
  });

  test("gets no `allow` alone: what a rule of the user allows is left to it", async () => {
    writePolicy(
      bench,
      'version: 1\nextends: [toolkeep:recommended]\nrules:\n  - allow shell.run "terraform plan"\n',
    );
    expect(await said(run("terraform plan"))).toBe("none");
  });

  test("evaluates a command where the client runs it, and the project by where the client was started", async () => {
    expect(await said(recorded("shellElsewhere"))).not.toBe("none");
    expect(await said({ ...run("cat hosts"), cwd: "/etc" })).not.toBe("none");
  });

  test("reads an image as a file", async () => {
    expect(await said(recorded("image"))).not.toBe("none");
    bench.write("a.png", "x");
    expect(await said(withInput(recorded("image"), { path: "a.png" }))).toBe("none");
  });
});

describe("patches of Codex", () => {
  test.each([
    ["its own settings", ["*** Update File: .codex/hooks.json", "@@", "+x"]],
    ["its own configuration", ["*** Add File: .codex/config.toml", "+x"]],
    ["a file elsewhere", ["*** Add File: ../x.txt", "+x"]],
    ["a move to a hook of git", ["*** Update File: src/a.ts", "*** Move to: .git/hooks/pre-commit", "+x"]],
    ["a header that is not known", ["*** Environment ID: x", "*** Add File: a.txt", "+x"]],
    ["a header with blanks before it", ["  *** Add File: .git/config", "+x"]],
  ])("are denied for %s", async (_what, lines) => {
    const command = patch(...lines);
    expect(await said(withInput(recorded("patch"), { command }))).not.toBe("none");
    expect(await said(run(`apply_patch <<'EOF'\n${command}\nEOF`))).not.toBe("none");
  });

  test("are read in a command line too, if it is nothing else", async () => {
    const command = patch("*** Update File: src/a.ts", "@@", "-x", "+y");
    expect(await said(run(`apply_patch <<'EOF'\n${command}\nEOF`))).toBe("none");
    for (const line of [
      `apply_patch <<EOF\n${command}\n$(touch x)\nEOF`,
      `apply_patch <<'EOF'\n${command}\nEOF\nterraform apply`,
      `apply_patch <<'EOF'\n${command}\nEOF\nterraform apply <<'EOF'\nEOF`,
      `apply_patch <<'EOF' && terraform apply\n${command}\nEOF`,
    ])
      expect([line, await said(run(line))]).not.toEqual([line, "none"]);
  });
});

test("a command that waits for typed commands is denied, whatever rules allow", async () => {
  writePolicy(
    bench,
    'version: 1\nextends: [toolkeep:recommended]\nrules:\n  - allow shell.run "*"\n  - allow shell.dynamic\n',
  );
  expect(await said(run("terraform init"))).toBe("none");
  for (const line of ["bash -i", "python3", "git commit", "true && less a"])
    expect(await said(run(line))).toContain("takes commands while it runs");
});

test("an agent cannot change the hooks or the settings of Codex, in any client", async () => {
  const files = [".codex/hooks.json", ".codex/config.toml", ".codex/rules/default.rules"];
  const write = payloadsOf("claude-code", bench)["write"] as Payload;
  const environment = { CLAUDE_PROJECT_DIR: bench.project, CLAUDE_CODE_SESSION_ATTENDED: "0" };
  for (const target of files.flatMap((file) => [join(bench.project, file), join(bench.home, file)])) {
    expect([target, await said(run(`echo x > ${target}`))]).not.toEqual([target, "none"]);
    const text = JSON.stringify(withInput(write, { file_path: target }));
    const { stdout } = await runHook({ client: "claude-code", text, environment });
    expect([target, JSON.parse(stdout).hookSpecificOutput?.permissionDecision]).toEqual([target, "deny"]);
  }
});

test("an agent cannot change them where a variable has moved them, in any client", async () => {
  const elsewhere = join(bench.base, "codex-home");
  mkdirSync(elsewhere);
  vi.stubEnv("CODEX_HOME", elsewhere);
  vi.stubEnv("CLAUDE_CONFIG_DIR", join(bench.base, "claude-home"));
  writePolicy(bench, "version: 1\nrules:\n  - allow fs.*\n  - allow shell.run\n  - allow shell.dynamic\n");
  const write = payloadsOf("claude-code", bench)["write"] as Payload;
  const environment = { CLAUDE_PROJECT_DIR: bench.project, CLAUDE_CODE_SESSION_ATTENDED: "0" };
  const decided = async (target: string) => {
    const text = JSON.stringify(withInput(write, { file_path: target }));
    const { stdout } = await runHook({ client: "claude-code", text, environment });
    return JSON.parse(stdout).hookSpecificOutput?.permissionDecision;
  };
  const targets = ["codex-home/hooks.json", "codex-home/config.toml", "codex-home/rules/a.rules"];
  for (const target of [...targets, "claude-home/settings.json"].map((name) => join(bench.base, name))) {
    expect([target, await said(run(`echo x > ${target}`))]).not.toEqual([target, "none"]);
    expect([target, await decided(target)]).toEqual([target, "deny"]);
  }
  for (const command of [
    `rm -rf ${elsewhere}`,
    `mv ${elsewhere} /tmp/other`,
    `cd ${elsewhere} && echo x > hooks.json`,
    'cp evil.json "$CODEX_HOME/hooks.json"',
    `python3 change.py ${elsewhere}/hooks.json`,
  ])
    expect([command, await said(run(command))]).not.toEqual([command, "none"]);
  expect(await decided(join(elsewhere, "notes.md"))).toBe("allow");
});

describe("before Codex asks its user", () => {
  test("a denial is answered, and everything else is left to the user", async () => {
    const asked = async (command: string) =>
      JSON.parse((await answered(withInput(recorded("permission"), { command }))).stdout);
    expect(await asked("terraform apply")).toEqual({});
    expect(await asked("cat ~/.ssh/id_ed25519")).toMatchObject({
      hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "deny" } },
    });
    expect(JSON.parse((await answered(recorded("mcpPermission"))).stdout)).toEqual({});
  });
});

test("what Codex reports is recorded, and answered with nothing", async () => {
  expect((await answered(recorded("afterShell"))).stdout).toBe("{}\n");
  expect((await answered(recorded("afterPatch"))).stdout).toBe("{}\n");
});

test("a payload that is not understood blocks with a reason", async () => {
  for (const text of ["", "[]", "{}", JSON.stringify({ ...recorded("shell"), tool_name: 1 })]) {
    const answer = await runHook({ client: "codex", text, environment: {} });
    expect(answer).toMatchObject({ exitCode: 2, stdout: "" });
    expect(answer.stderr).toContain("could not decide");
  }
});

test("the process answers as its function does, where the client starts it", async () => {
  mkdirSync(join(bench.project, "sub"));
  writeFileSync(join(bench.project, "sub", "a.txt"), "x");
  const ask = (payload: Payload) => bench.run(["hook", "codex"], { stdin: JSON.stringify(payload) });
  expect(await ask(run("git status"))).toMatchObject({ code: 0, stdout: "{}\n", stderr: "" });
  const denied = await ask(run("bash -i"));
  expect(denied).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(denied.stdout).hookSpecificOutput.permissionDecision).toBe("deny");
  expect(await ask({ ...run("ls"), hook_event_name: "SessionStart" })).toMatchObject({ stdout: "{}\n" });
});
