import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { projectPast } from "../../packages/node/src/sandbox/contain/commit/past-commands.ts";
import {
  type ContainedProject,
  canContain,
  containedProject,
} from "../../packages/node/src/sandbox/contain/contained-project.test.kit.ts";

describe.skipIf(!canContain)("undo, after the user changed something", () => {
  let project: ContainedProject;
  beforeEach(() => {
    project = containedProject();
    project.bare("git init -q; echo zero > README; echo old > other; mkdir d; echo x > d/x; git add .");
  });
  afterEach(() => project.remove());

  const read = (path: string) => readFileSync(join(project.project, path), "utf8");
  const has = (path: string) => existsSync(join(project.project, path));
  const past = () => projectPast(project.folder, project.project);
  const undo = async (...numbers: readonly number[]) => (await past()).undo(...numbers);
  const run = async (line: string) => {
    const { outcome } = await project.run(line);
    expect(outcome.held).toEqual([]);
    return outcome.kept;
  };
  const refused = (number: number, ...paths: readonly string[]) => ({ number, paths });

  test("between two commands leaves the edit, whether they are undone together or one by one", async () => {
    await run("echo one > README");
    await run("echo two > README");
    project.bare("echo user >> README");
    await run("echo three >> README");
    await expect(undo(3, 2, 1)).rejects.toMatchObject(refused(2, "README"));
    expect(read("README")).toBe("two\nuser\nthree\n");
    await undo(3);
    await expect(undo(2)).rejects.toMatchObject(refused(2, "README"));
    expect(read("README")).toBe("two\nuser\n");
  });

  test("leaves an edit of what a later command deleted, and one by renaming", async () => {
    await run("echo one > README; echo one > other");
    project.bare("echo user >> README; echo user > new; mv new other");
    await run("rm README other");
    await expect(undo(2, 1)).rejects.toMatchObject(refused(1, "README", "other"));
    await undo(2);
    await expect(undo(1)).rejects.toMatchObject(refused(1, "README", "other"));
    expect([read("README"), read("other")]).toEqual(["one\nuser\n", "user\n"]);
  });

  test("leaves an edit within a new folder", async () => {
    await run("mkdir -p new/sub; echo one > new/a; echo one > new/b; echo one > new/sub/c");
    project.bare("echo user >> new/a; echo user >> new/sub/c");
    await run("echo two >> new/a; rm new/b; rm -r new/sub");
    await expect(undo(2, 1)).rejects.toMatchObject(refused(1, "new"));
    await undo(2);
    await expect(undo(1)).rejects.toMatchObject(refused(1, "new"));
    expect([read("new/a"), read("new/sub/c")]).toEqual(["one\nuser\n", "one\nuser\n"]);
  });

  test("undoes all commands where the user changed nothing", async () => {
    const before = project.bare("find . -path ./.git -prune -o -type f -print -exec cat {} +");
    const lines = [
      "mkdir -p new/sub/deep; echo 1 > new/a; echo 1 > new/sub/b; echo 1 > README; echo 1 > d/x",
      "echo 2 > new/a; rm new/sub/b; mkdir new/sub/c; echo 2 > new/sub/c/d; chmod 755 README; rm -r d",
      "rm -r new/sub; mkdir d; echo 3 > d/x; echo 3 >> README; git add -A",
      "mkdir new/sub; echo 4 > new/sub/b; rm README; git add -A",
    ];
    for (const each of [[[4, 3, 2, 1]], [[4], [3], [2], [1]], [[4], [3, 2], [1]]]) {
      const from = (await past()).commands.length;
      for (const line of lines) await run(line);
      for (const numbers of each) await undo(...numbers.map((number) => from + number));
      expect(project.bare("find . -path ./.git -prune -o -type f -print -exec cat {} +")).toBe(before);
      expect(has("new")).toBe(false);
    }
  });

  test("leaves a folder that was moved into a new one", async () => {
    project.bare("mkdir thesis; echo text > thesis/text");
    await run("mkdir -p new/sub; echo 1 > new/a");
    project.bare("mv thesis new/sub/thesis");
    await expect(undo(1)).rejects.toMatchObject(refused(1, "new"));
    expect(read("new/sub/thesis/text")).toBe("text\n");
    await run("echo 2 > new/sub/b");
    await expect(undo(2, 1)).rejects.toMatchObject(refused(1, "new"));
    expect([read("new/sub/b"), read("new/sub/thesis/text")]).toEqual(["2\n", "text\n"]);
  });

  test.each(["rm -r d", "mv d elsewhere; ln -s elsewhere d"])(
    "says which file is gone after `%s`",
    async (line) => {
      await run("echo one > d/x");
      await run("echo one > README");
      project.bare(line);
      await expect(undo(2, 1)).rejects.toMatchObject(refused(1, "d/x"));
      await undo(2);
      await expect(undo(1)).rejects.toMatchObject(refused(1, "d/x"));
      expect(read("README")).toBe("zero\n");
    },
  );

  test.each(["rm -r d", "mv d elsewhere; ln -s elsewhere d"])(
    "holds what cannot be kept after `%s`",
    async (line) => {
      const evaluate = async (effects: readonly unknown[]) => effects.map(() => "for a test");
      await project.run("echo one > d/y", { evaluate });
      project.bare(line);
      const why = "changed by another program meanwhile";
      expect(await (await past()).keep(1)).toEqual([{ path: "d/y", why }]);
      expect(has("d/y")).toBe(false);
    },
  );

  test("gives times back", async () => {
    const time = () => Math.round(statSync(join(project.project, "README")).mtimeMs / 1_000);
    const before = time();
    expect(await run("touch -d @1000000000 README")).toEqual(["README"]);
    expect(time()).toBe(1_000_000_000);
    await undo(1);
    expect(time()).toBe(before);
  });

  test("still works after commands that rewrote large sparse files, and their copies go", async () => {
    project.bare("echo build > .gitignore; git add .; truncate -s 2G build; truncate -s 1M big");
    await run("echo emptied > README");
    for (const size of [600, 700, 800])
      await run(`rm build; truncate -s ${size}M build; : >> big; : > n${size}`);
    await run("chmod 600 big; echo 1 > other");
    const layers = project.base.concat("/state");
    expect(project.bare("stat -c %a big")).toBe("600\n");
    expect(spawnSync("find", [layers, "-name", "big"], { encoding: "utf8" }).stdout).toBe("");
    await undo(5, 4, 3, 2, 1);
    expect([read("README"), statSync(join(project.project, "build")).size]).toEqual(["zero\n", 2 ** 31]);
  });
});
