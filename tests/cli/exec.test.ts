import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import { type CliBench, OWN_COMMAND, runProgram } from "./cli-bench.ts";
import {
  askHook,
  clientShell,
  confinedBench,
  exec,
  hasRun,
  hasSandbox,
  replaced,
  startExec,
} from "./confined-bench.ts";
import { initGit } from "./git-project.ts";
import { writeHome } from "./hook-bench.ts";
import { descendantsOf, isRunning } from "./processes.ts";

const MANIFEST = { name: "p", scripts: { test: "sh test.sh", build: "sh build.sh" } };

let bench: CliBench;

beforeAll(async () => {
  if (!hasSandbox) return;
  bench = await confinedBench();
  bench.write("package.json", JSON.stringify(MANIFEST));
  bench.write("src/a.txt", "a\n");
  writeHome(bench, ".ssh/id_ed25519", "not a real key");
  initGit(bench);
  return bench.remove;
});

/** Writes the script of the tests of the project, and runs them as the client does. */
async function runTests(script: string, stdin = "") {
  bench.write("test.sh", script);
  const { line } = await replaced("npm test --silent", bench);
  return clientShell(line, bench, { stdin });
}

describe.skipIf(!hasSandbox)("a command that the hook confines", () => {
  test("keeps the other fields of the input, and stays readable", async () => {
    const input = { description: "Runs it's tests", timeout: 60_000, run_in_background: true };
    const { input: changed, line } = await replaced("npm test 'a b'", bench, { input });
    expect(changed).toMatchObject(input);
    expect(line).toMatch(/ exec --ticket [0-9a-f]{32} -- 'npm test '\\''a b'\\'''$/);
    expect(line.startsWith(join(bench.environment.TOOLKEEP_HOME, "state/bin/toolkeep"))).toBe(true);
  });

  test("gets its input, and gives its output, its errors and its exit code", async () => {
    const outcome = await runTests("cat; echo out; echo err >&2; exit 7\n", "in\n");
    expect(outcome).toEqual({ code: 7, stdout: "in\nout\n", stderr: "err\n" });
  });

  test("is in the log of its conversation with what has become of it", async () => {
    bench.write("test.sh", "exit 3\n");
    const conversation = crypto.randomUUID();
    for (const command of ["npm test --silent", "cat src/a.txt"]) {
      const { line } = await replaced(command, bench, { conversation });
      await clientShell(line, bench);
    }
    const { stdout } = await bench.run(["log", "--json", "--last", "2"]);
    expect(stdout.match(/"outcome": "\w+"/g)).toEqual(['"outcome": "failed"', '"outcome": "ran"']);
  });

  test("has one outcome, by the client's id of the call, and none while it has not run", async () => {
    const conversation = crypto.randomUUID();
    const asked = (callId: string) => ({ conversation, callId });
    bench.write("test.sh", "exit 3\n");
    const { line } = await replaced("npm test --silent", bench, asked("toolu_1"));
    await replaced("cat src/a.txt", bench, asked("toolu_2"));
    const outcomes = async () => {
      const { stdout } = await bench.run(["log", "--json", "--last", "2"]);
      return stdout.match(/"outcome": "\w+"/g);
    };
    await clientShell(line, bench);
    const ran = ['"outcome": "failed"', '"outcome": "unknown"'];
    expect(await outcomes()).toEqual(ran);
    await askHook("npm test --silent", bench, { ...asked("toolu_1"), event: "PostToolUseFailure" });
    await askHook("cat src/a.txt", bench, { ...asked("toolu_2"), event: "PermissionDenied" });
    expect(await outcomes()).toEqual(['"outcome": "failed"', '"outcome": "refused"']);
  });

  test("is refused to a model that types it, and left to the client that shows it to its user", async () => {
    const conversation = crypto.randomUUID();
    for (const command of ["cat src/a.txt", "cd src && cat a.txt"]) {
      const { line } = await replaced(command, bench, { conversation });
      expect(await askHook(line, bench, { conversation })).toMatchObject({ action: "deny" });
      const event = "PermissionRequest";
      expect(await askHook(line, bench, { conversation, event })).toMatchObject({ action: "none" });
      for (const other of [`rm -rf ~ && ${line}`, `${line}; rm -rf ~`, `${line} > ~/.bashrc`])
        expect(await askHook(other, bench, { conversation, event })).toMatchObject({ action: "deny" });
    }
  });

  test("passes on much output and arbitrary bytes", async () => {
    const { stdout } = await runTests("head -c 3000000 /dev/zero | tr '\\0' x; printf '\\1\\2é'");
    expect(stdout.length).toBe(3_000_003);
    expect(stdout.endsWith("x\u0001\u0002é")).toBe(true);
  });

  test("reaches the files of the project and nothing else", async () => {
    const outside = join(bench.base, "outside");
    const { stdout } = await runTests(
      [
        `echo made > made.txt; echo x > ${outside}`,
        `cat ${bench.home}/.ssh/id_ed25519 2>/dev/null && echo READ`,
        `ls ${bench.environment.TOOLKEEP_HOME}/state/tickets 2>/dev/null && echo LISTED`,
        "(exec 3<>/dev/tcp/127.0.0.1/9) 2>/dev/null && echo CONNECTED; echo end",
      ].join("\n"),
    );
    expect(stdout).toBe("end\n");
    expect(existsSync(outside)).toBe(false);
    expect(readFileSync(join(bench.project, "made.txt"), "utf8")).toBe("made\n");
  });

  test("cannot issue a ticket for another one", async () => {
    const { stdout } = await runTests(
      `mkdir -p ${bench.environment.TOOLKEEP_HOME}/state/tickets && echo '{}' > ${bench.environment.TOOLKEEP_HOME}/state/tickets/ticket-x && echo MADE; echo end`,
    );
    expect(stdout).toContain("end\n");
    expect(existsSync(join(bench.environment.TOOLKEEP_HOME, "state/tickets/ticket-x"))).toBe(false);
  });

  test("sees nothing of the environment but what the terminal needs", async () => {
    bench.write("test.sh", "env");
    const { line } = await replaced("npm test --silent", bench);
    const env = { API_TOKEN: "not-a-real-one-1234", TERM: "xterm", BASH_ENV: "/tmp/x", NO_COLOR: "1" };
    const { stdout } = await clientShell(line, bench, { env });
    expect(stdout).toContain("TERM=xterm\n");
    expect(stdout).toContain("NO_COLOR=1\n");
    expect(stdout).not.toMatch(/API_TOKEN|BASH_ENV|TOOLKEEP_HOME|--ticket/);
  });

  test("moves the client's shell to where it goes", async () => {
    const { line } = await replaced("cd src && cat a.txt", bench);
    expect(line).toMatch(/^cd src && .* -- 'cat a\.txt'$/);
    const { stdout } = await clientShell(`${line} && pwd -P`, bench);
    expect(stdout).toBe(`a\n${join(bench.project, "src")}\n`);
  });

  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("ends as a whole with %s", async (signal) => {
    bench.write(
      "test.sh",
      "trap 'echo told > told.txt; exit 9' TERM INT HUP\nsleep 300 & echo > ready.txt; wait\n",
    );
    // Other than npm, it waits for what it has started.
    bench.write("Makefile", "test:\n\tsh test.sh\n");
    const child = startExec(bench, await replaced("make test", bench));
    const found = await startedBy(child);
    child.kill(signal);
    const code = await new Promise((resolve) => child.once("exit", (exit) => resolve(exit)));
    expect(code).toBeGreaterThan(0);
    expect(found.filter(isRunning)).toEqual([]);
    expect(hasRun(bench, "told.txt")).toBe(true);
  });

  test("ends as a whole if the program is killed", async () => {
    bench.write("test.sh", "trap '' TERM\n(sleep 300; :) & echo > ready.txt; sleep 300\n");
    const child = startExec(bench, await replaced("npm test --silent", bench));
    const found = await startedBy(child);
    child.kill("SIGKILL");
    await expect.poll(() => found.filter(isRunning)).toEqual([]);
  });

  test("runs where the client works in a folder of the repository", async () => {
    const folder = join(bench.project, "src");
    const { line } = await replaced("cat a.txt", bench, { folder, cwd: folder });
    const outcome = await clientShell(line, bench, { cwd: folder });
    expect(outcome).toEqual({ code: 0, stdout: "a\n", stderr: "" });
  });

  test("may be one that installs a version that was written without a question", async () => {
    bench.write("package.json", '{\n  "name": "p",\n  "dependencies": {}\n}\n');
    const file_path = join(bench.project, "package.json");
    const edit = (after: string) =>
      askHook("", bench, {
        tool: "Edit",
        input: { file_path, old_string: '"dependencies": {}', new_string: after },
      });
    expect(await edit('"dependencies": { "zod": "^4.0.0" }')).toMatchObject({ action: "none" });
    expect(await edit('"scripts": { "test": "sh x" }')).toMatchObject({ action: "ask" });
    bench.write("package.json", JSON.stringify(MANIFEST));
  });

  test("is not run where the sandbox does not work", async () => {
    const { token } = await replaced("touch RAN", bench);
    const jail = ["/usr/bin/bwrap", "--unshare-user", "--disable-userns", "--dev-bind", "/", "/"];
    const argv = [...jail, "--chdir", bench.project, "--", ...OWN_COMMAND, "exec", "--ticket", token, "--"];
    const { code, stderr } = await runProgram([...argv, "touch RAN"], { env: bench.environment });
    expect([code, stderr]).toEqual([126, expect.stringContaining("Not run: ")]);
    expect(hasRun(bench)).toBe(false);
  });

  test("is not given a folder as one of its streams", async () => {
    const { line } = await replaced("touch RAN", bench);
    const { code, stderr } = await clientShell(`${line} < /`, bench);
    expect([code, stderr]).toEqual([126, expect.stringContaining("folder")]);
    expect(hasRun(bench)).toBe(false);
  });

  test("does nothing more than it did when it was decided", async () => {
    const { token } = await replaced("npm install left-pad", bench);
    bench.write(".npmrc", "registry=https://registry.attacker.example/\n");
    const { code, stderr } = await exec(bench, { token, args: ["npm install left-pad"] });
    rmSync(join(bench.project, ".npmrc"));
    expect([code, stderr]).toEqual([126, expect.stringContaining("Not run: ")]);
  });
});

/** All processes of a command that has begun its work. */
async function startedBy(child: ChildProcess): Promise<readonly number[]> {
  let said = "";
  child.stderr?.on("data", (text) => (said += text));
  while (!hasRun(bench, "ready.txt")) {
    if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode} before it began: ${said}`);
    await pause(50);
  }
  return descendantsOf(child.pid ?? 0);
}

test.skipIf(!hasSandbox)(
  "a command of Gemini CLI runs in the sandbox, in the directory of its call",
  async () => {
    const input = { command: "cat a.txt", description: "d", directory: "src" };
    const { stdout } = await runHook({
      client: "gemini-cli",
      environment: { GEMINI_PROJECT_DIR: bench.project },
      text: JSON.stringify({
        ...{ session_id: "g", cwd: bench.project, hook_event_name: "BeforeTool" },
        ...{ tool_name: "run_shell_command", tool_input: input },
      }),
    });
    const { decision, hookSpecificOutput } = JSON.parse(stdout);
    const { command, ...others } = hookSpecificOutput.tool_input;
    expect([decision, others]).toEqual(["allow", { description: "d", directory: "src" }]);
    const outcome = await clientShell(command, bench, { cwd: join(bench.project, "src") });
    expect(outcome).toEqual({ code: 0, stdout: "a\n", stderr: "" });
  },
);

describe.skipIf(!hasSandbox)("a command that is not confined", () => {
  test.each([
    ["that must leave the sandbox", "docker ps"],
    ["that other commands must reach", "npm run dev"],
    ["that stays in the background", "npm test &"],
    ["that reaches a server of this machine", "curl -s http://localhost:3000/health"],
    ["that leaves files for others", "npm test > /tmp/out.txt"],
    ["that ends in another directory", "mkdir -p lib && cd lib && ls"],
    ["that pushes", "git push"],
    ["with a character that no argument has", "echo a\u0000b"],
  ])("is one %s", async (_, command) => {
    expect(await askHook(command, bench)).toMatchObject({ input: undefined });
  });

  test("is one that the policy does not allow in the sandbox either", async () => {
    const { action, input } = await askHook("rm -rf src", bench);
    expect([action, input]).toEqual(["ask", undefined]);
  });

  test.each([
    ["denies", { deny: ["Bash(npm test:*)"] }],
    ["asks about", { ask: ["Bash(npm test:*)"] }],
  ])("is one that the client itself %s", async (_, permissions) => {
    bench.write(".claude/settings.local.json", JSON.stringify({ permissions }));
    try {
      expect(await askHook("npm test", bench)).toMatchObject({ input: undefined });
    } finally {
      rmSync(join(bench.project, ".claude/settings.local.json"));
    }
  });

  test("is every one where the client's own sandbox is on", async () => {
    mkdirSync(join(bench.home, ".claude"), { recursive: true });
    writeFileSync(join(bench.home, ".claude/settings.json"), '{ "sandbox": { "enabled": true } }');
    try {
      expect(await askHook("npm test", bench)).toMatchObject({ input: undefined });
    } finally {
      rmSync(join(bench.home, ".claude"), { recursive: true });
    }
  });

  test("is every one after an installation without --confine", async () => {
    await bench.run(["init", "claude-code", "--yes", "--no-trust"]);
    expect(await askHook("npm test", bench)).toMatchObject({ input: undefined, action: "none" });
  });
});
