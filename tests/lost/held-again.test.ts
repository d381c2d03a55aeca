import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempDisposableSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commitChanges } from "../../packages/node/src/sandbox/contain/commit/commit.ts";
import {
  closePast,
  forgetOld,
  KEPT_MS,
  pastCommands,
} from "../../packages/node/src/sandbox/contain/commit/past.ts";
import { projectPast } from "../../packages/node/src/sandbox/contain/commit/past-commands.ts";
import { changeSet } from "../../packages/node/src/sandbox/contain/layer/change-set.ts";
import {
  COMMANDS,
  nextCommand,
  OPENED,
  projectState,
} from "../../packages/node/src/sandbox/contain/layer/open-layer.ts";
import { openStage, templateOf, treeOf } from "./stage.ts";
import { holdAll } from "./work-on-project.ts";

const canCommit = process.platform === "linux" && spawnSync("perl", ["-v"]).status === 0;
const LINE = "echo more >> a.txt; rm b.txt; echo new > new.txt";

describe.skipIf(!canCommit)("held work", () => {
  function staged(base: string) {
    const template = templateOf(join(base, "template"), LINE);
    const stage = openStage(template, base, "keep");
    const past = () => projectPast(stage.contain, stage.project);
    return { template, stage, past, state: projectState(stage.contain, stage.project) };
  }

  test("that was kept and undone is held again, and can be kept another time", async () => {
    using base = mkdtempDisposableSync(join(tmpdir(), "toolkeep-held-"));
    const { template, stage, past, state } = staged(base.path);
    await holdAll(stage);
    const heldIn = async () => (await past()).commands.map(({ held, work }) => [held.length, work.length]);
    expect(await (await past()).keep(1)).toEqual([]);
    expect(treeOf(stage.project)).toBe(template.after);
    expect(await heldIn()).toEqual([
      [0, 0],
      [0, 0],
    ]);
    forgetOld(state, Date.now() + 2 * KEPT_MS);
    expect(pastCommands(state).map(({ number }) => number)).toEqual([1, 2]);
    await (await past()).undo(2);
    expect(treeOf(stage.project)).toBe(template.before);
    expect(await heldIn()).toEqual([
      [3, 3],
      [0, 0],
    ]);
    forgetOld(state, Date.now() + 2 * KEPT_MS);
    expect(await (await past()).keep(1)).toEqual([]);
    expect(treeOf(stage.project)).toBe(template.after);
    expect(await heldIn()).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
  });

  test("that nothing can be kept of is named", async () => {
    using base = mkdtempDisposableSync(join(tmpdir(), "toolkeep-held-"));
    const { stage, past } = staged(base.path);
    const held = [
      { path: "a.txt", why: "for a test" },
      { path: "socket", why: "not a file" },
    ];
    const work = [{ path: "a.txt", does: "put", type: "file" }] as const;
    await closePast(stage.folder, { line: "work", kept: [], held, work });
    const left = [{ path: "socket", why: "not a file, and cannot be kept" }];
    expect(await (await past()).keep(1)).toEqual(left);
    expect(await (await past()).keep(1, "socket")).toEqual(left);
    expect((await past()).commands[0]?.held).toEqual([held[1]]);
  });

  test("and sparse files do not push out what is kept to undo other commands", async () => {
    using base = mkdtempDisposableSync(join(tmpdir(), "toolkeep-held-"));
    const { stage, past, state } = staged(base.path);
    const hour = 60 * 60_000;
    const close = async (bytes: number, held: readonly string[] = [], at = Date.now()) => {
      const { folder, number } = nextCommand(state, 0o700);
      mkdirSync(join(folder, "old"));
      mkdirSync(join(folder, "upper"));
      for (const path of ["old/0", "upper/held"]) {
        writeFileSync(join(folder, path), "");
        truncateSync(join(folder, path), 2 ** 32);
      }
      const was = { ino: "1", ctimeNs: "1", mtimeNs: "1", size: "1", mode: 0 };
      const steps = [{ path: "build", does: "remove", from: join(folder, "old/0"), was }];
      const plan = { version: 1, project: stage.project, steps };
      writeFileSync(join(folder, "plan.json"), JSON.stringify(plan));
      writeFileSync(join(folder, "done.json"), "[null]");
      const work = held.map((path) => ({ path, does: "put", type: "file" }) as const);
      const what = {
        line: `${number}`,
        kept: ["build"],
        held: held.map((path) => ({ path, why: "" })),
        work,
      };
      await closePast(folder, { ...what, at });
      const file = join(folder, "command.json");
      const noted = JSON.parse(readFileSync(file, "utf8"));
      expect(noted.bytes).toBeLessThan(2 ** 16);
      if (bytes > 0) writeFileSync(file, JSON.stringify({ ...noted, bytes }));
      return number;
    };
    const [held, old, large, larger, recent] = [
      await close(0, ["held"]),
      await close(0, [], Date.now() - 2 * hour),
      await close(500 * 2 ** 20, [], Date.now() - 2 * hour),
      await close(600 * 2 ** 20, [], Date.now() - 2 * hour),
      await close(700 * 2 ** 20),
      await close(900 * 2 ** 20),
    ];
    forgetOld(state);
    const { commands, forgotten } = await past();
    expect(forgotten).toEqual([larger, large]);
    expect(commands.map(({ number }) => number)).toEqual([held, old, recent, recent + 1]);
  });

  test("is all that a command leaves if more would be displaced than is kept for undo", async () => {
    using base = mkdtempDisposableSync(join(tmpdir(), "toolkeep-held-"));
    const { template, stage } = staged(base.path);
    const since = 2n ** 62n;
    const { changes } = changeSet({ below: stage.project, upper: stage.upper, since }, new Map());
    const { project, folder, upper } = stage;
    const held = await commitChanges({ project, folder, upper, changes, since, most: 8_191 });
    expect(held.map(({ path }) => path).toSorted()).toEqual(["a.txt", "b.txt", "new.txt"]);
    expect(treeOf(project)).toBe(template.before);
    expect(await commitChanges({ project, folder, upper, changes, since, most: 8_192 })).toEqual([]);
  });
});

describe.skipIf(process.platform !== "linux")("the folder of a command whose process is gone", () => {
  test("is removed, and no other", async () => {
    using base = mkdtempDisposableSync(join(tmpdir(), "toolkeep-held-"));
    const state = projectState(base.path, join(base.path, "project"));
    const folders = [1, 2, 3].map(() => nextCommand(state, 0o700).folder);
    const opened = { pid: 2 ** 22 + 1, startedAt: 1 };
    const own = JSON.parse(spawnSync("cat", [join(folders[0] ?? "", OPENED)]).stdout.toString());
    for (const folder of folders.slice(1))
      writeFileSync(join(folder, OPENED), JSON.stringify({ ...own, ...opened }));
    await closePast(folders[2] ?? "", { line: "x", kept: [], held: [], work: [] });
    await projectPast(base.path, join(base.path, "project"));
    expect(folders.map((folder) => existsSync(folder))).toEqual([true, false, true]);
    expect(folders[0]?.startsWith(join(state.folder, COMMANDS))).toBe(true);
  });
});
