import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { CliBench } from "./cli-bench.ts";
import { askHook, clientShell, confinedBench, exec, hasSandbox, replaced } from "./confined-bench.ts";
import { commitAll, git, initGit } from "./git-project.ts";

const PIPELINE = ".github/workflows/ci.yml";

let bench: CliBench;

beforeAll(async () => {
  if (!hasSandbox) return;
  bench = await confinedBench();
  initGit(bench);
  bench.write(PIPELINE, "on: push\n");
  bench.write("src/a.js", "1\n");
  commitAll(bench, "first");
  git(bench, "switch", "-q", "-c", "plain");
  bench.write("src/a.js", "2\n");
  commitAll(bench, "changes a source");
  git(bench, "switch", "-q", "-c", "pipeline");
  bench.write(PIPELINE, "on: [push, pull_request]\n");
  commitAll(bench, "changes the pipeline");
  git(bench, "switch", "-q", "main");
  return bench.remove;
});

const text = (path: string) => readFileSync(join(bench.project, path), "utf8");

describe.skipIf(!hasSandbox)("a git command of a client, where commands are confined", () => {
  test("runs in the sandbox if it changes no protected file", async () => {
    const { line } = await replaced("git checkout -q plain", bench);
    expect(await clientShell(line, bench)).toMatchObject({ code: 0 });
    expect(text("src/a.js")).toBe("2\n");
    git(bench, "switch", "-q", "main");
  });

  test.each(["git checkout -q pipeline", "git merge -q pipeline", "git reset -q --hard pipeline"])(
    "is asked about before anything moves if it changes a protected file: %s",
    async (command) => {
      expect(await askHook(command, bench)).toMatchObject({ input: undefined, action: "ask" });
    },
  );

  test("is not run if it changes a protected file since it was decided, and says which", async () => {
    const command = "git merge -q plain";
    const { token } = await replaced(command, bench);
    git(bench, "branch", "-q", "-f", "plain", "pipeline");
    const { code, stderr } = await exec(bench, { token, args: [command] });
    expect([code, stderr]).toEqual([126, expect.stringContaining("Not run: ")]);
    expect(stderr).toContain(PIPELINE);
    expect(stderr).toContain("Run it again");
    expect([text(PIPELINE), text("src/a.js")]).toEqual(["on: push\n", "1\n"]);
  });
});
