import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdtempDisposableSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { carriedOut, commitChanges } from "../../packages/node/src/sandbox/contain/commit/commit.ts";
import { projectPast } from "../../packages/node/src/sandbox/contain/commit/past-commands.ts";
import { openDoing, type Step } from "../../packages/node/src/sandbox/contain/commit/steps.ts";
import { changeSet } from "../../packages/node/src/sandbox/contain/layer/change-set.ts";
import { stampAt, statsAt } from "../../packages/node/src/sandbox/contain/layer/stamp.ts";
import { openStage, type Stage, sh, templateOf, treeOf } from "./stage.ts";
import { workOn } from "./work-on-project.ts";

const canCommit = process.platform === "linux" && spawnSync("perl", ["-v"]).status === 0;
const COMMIT = "echo more >> a.txt; git add a.txt; git commit -q -m two; git update-ref ORIG_HEAD HEAD";
const SINCE = 2n ** 62n;

function commit({ project, upper, folder }: Stage) {
  const { changes } = changeSet({ below: project, upper, since: SINCE }, new Map());
  return commitChanges({ project, upper, folder, changes, since: SINCE });
}

describe.skipIf(!canCommit)("a repository that a command changed", () => {
  test("stays wholly as it was where another process has its index open", async () => {
    using base = mkdtempDisposableSync(join(tmpdir(), "toolkeep-unit-"));
    const stage = openStage(templateOf(join(base.path, "template"), COMMIT), base.path, "commit");
    const git = treeOf(join(stage.project, ".git"));
    const file = openSync(join(stage.project, ".git/index"), "r");
    const held = await commit(stage);
    closeSync(file);
    expect(treeOf(join(stage.project, ".git"))).toBe(git);
    expect(readFileSync(join(stage.project, "a.txt"), "utf8")).toContain("more");
    expect(held.map(({ path }) => path)).toContain(".git/refs/heads/main");
    expect(held.every(({ path }) => path.startsWith(".git"))).toBe(true);
  });

  test("comes wholly or not at all while another process opens its index again and again", async () => {
    using base = mkdtempDisposableSync(join(tmpdir(), "toolkeep-unit-"));
    const template = templateOf(join(base.path, "template"), COMMIT);
    const stage = openStage(template, base.path, "commit");
    const reading = `print("open", flush=True)\nwhile True:\n try: open("index").read(1)\n except Exception: pass`;
    const cwd = join(stage.project, ".git");
    const reader = spawn("python3", ["-c", reading], { cwd, stdio: ["ignore", "pipe", "ignore"] });
    await once(reader.stdout, "data");
    const held = await commit(stage);
    reader.kill("SIGKILL");
    await once(reader, "close");
    const isGit = (text: string) => /^\.git/.test(text);
    const gitOf = (tree: string) => tree.split("\n").filter(isGit);
    expect(gitOf(treeOf(stage.project))).toEqual(
      gitOf(held.some(({ path }) => isGit(path)) ? template.before : template.after),
    );
  });

  test("is given back by an undo after git has looked at its files again", async () => {
    using base = mkdtempDisposableSync(join(tmpdir(), "toolkeep-unit-"));
    const template = templateOf(join(base.path, "template"), COMMIT);
    const stage = openStage(template, base.path, "commit");
    await workOn(stage);
    const index = join(stage.project, ".git/index");
    const before = statsAt(index)?.ino;
    sh("touch -d '2001-01-01' b.txt; git status", stage.project);
    expect(statsAt(index)?.ino).not.toBe(before);
    const past = await projectPast(stage.contain, stage.project);
    await past.undo(1);
    expect(treeOf(stage.project)).toBe(template.before);
  });

  test("is not given back by an undo once the user has added a file", async () => {
    using base = mkdtempDisposableSync(join(tmpdir(), "toolkeep-unit-"));
    const stage = openStage(templateOf(join(base.path, "template"), COMMIT), base.path, "commit");
    await workOn(stage);
    sh("echo of the user >> b.txt; git add b.txt", stage.project);
    const past = await projectPast(stage.contain, stage.project);
    await expect(past.undo(1)).rejects.toThrow("changed since: .git/index");
  });

  test("is undone with what was done of it, once one step of it is left", async () => {
    using base = mkdtempDisposableSync(join(tmpdir(), "toolkeep-unit-"));
    sh("mkdir -p project/.git folder", base.path);
    const [project, folder] = [join(base.path, "project"), join(base.path, "folder")];
    const stepFor = (path: string, at: number): Step => {
      const from = join(folder, `${at}`);
      writeFileSync(join(project, path), `old ${path}`);
      writeFileSync(from, `new ${path}`);
      const [was, now] = [join(project, path), from].map(stampAt);
      return { path, does: "replace", from, was: was as never, now: now as never };
    };
    const steps = ["a.txt", ".git/ORIG_HEAD", ".git/index", ".git/HEAD"].map(stepFor);
    const doing = await openDoing(project, folder);
    let wanted = 0;
    const isWanted = async (path: string) => path.endsWith("/index") && wanted++ >= 0;
    const waited = { ...doing, kernel: { ...doing.kernel, isWanted } };
    const left = await carriedOut({ version: 1, project, steps }, waited);
    doing[Symbol.dispose]();
    const found = steps.map(({ path }) => readFileSync(join(project, path), "utf8").split(" ")[0]);
    expect(found).toEqual(["new", "old", "old", "old"]);
    expect([...left.keys()].toSorted()).toEqual([".git/HEAD", ".git/ORIG_HEAD", ".git/index"]);
    // A process that only passes by is waited for.
    expect(wanted).toBeGreaterThan(1);
    expect(existsSync(join(folder, "done.json"))).toBe(true);
  });
});
