import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { CliBench } from "./cli-bench.ts";
import { askHook, clientShell, confinedBench, exec, hasSandbox, replaced } from "./confined-bench.ts";

const LONG = { timeout: 60_000 };
const PIPELINE = ".github/workflows/ci.yml";

let bench: CliBench;

beforeAll(async () => {
  if (!hasSandbox) return;
  bench = await confinedBench();
  rmSync(join(bench.project, ".git"), { recursive: true, force: true });
  git("init", "-q", "-b", "main", ".");
  bench.write(PIPELINE, "on: push\n");
  bench.write("src/a.js", "1\n");
  commit("first");
  git("switch", "-q", "-c", "plain");
  bench.write("src/a.js", "2\n");
  commit("changes a source");
  git("switch", "-q", "-c", "pipeline");
  bench.write(PIPELINE, "on: [push, pull_request]\n");
  commit("changes the pipeline");
  git("switch", "-q", "main");
  return bench.remove;
}, 60_000);

const text = (path: string) => readFileSync(join(bench.project, path), "utf8");

function git(...args: readonly string[]): void {
  const { environment, project } = bench;
  const own = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  execFileSync("git", [...own, ...args], { cwd: project, env: environment, stdio: "ignore" });
}

function commit(message: string): void {
  git("add", "-A");
  git("commit", "-q", "-m", message);
}

describe.skipIf(!hasSandbox)("a git command of a client, where commands are confined", () => {
  test("runs in the sandbox if it changes no protected file", LONG, async () => {
    const { line } = await replaced("git checkout -q plain", bench);
    expect(await clientShell(line, bench)).toMatchObject({ code: 0 });
    expect(text("src/a.js")).toBe("2\n");
    git("switch", "-q", "main");
  });

  test.each(["git checkout -q pipeline", "git merge -q pipeline", "git reset -q --hard pipeline"])(
    "is asked about before anything moves if it changes a protected file: %s",
    LONG,
    async (command) => {
      expect(await askHook(command, bench)).toMatchObject({ input: undefined, action: "ask" });
    },
  );

  test("is not run if it changes a protected file since it was decided, and says which", LONG, async () => {
    const command = "git merge -q plain";
    const { token } = await replaced(command, bench);
    git("branch", "-q", "-f", "plain", "pipeline");
    const { code, stderr } = await exec(bench, { token, args: [command] });
    expect([code, stderr]).toEqual([126, expect.stringContaining("Not run: ")]);
    expect(stderr).toContain(PIPELINE);
    expect(stderr).toContain("Run it again");
    expect([text(PIPELINE), text("src/a.js")]).toEqual(["on: push\n", "1\n"]);
  });
});
