import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ContainedBench, containedBench, whyNotContained } from "./contained-bench.ts";

const reason = whyNotContained();

/** Commands of Python: no rule knows what they do. */
const python = (...statements: readonly string[]) => `python3 -c ${JSON.stringify(statements.join("; "))}`;
const put = (path: string, text: string) => `open('${path}', 'w').write('${text}')`;

describe.skipIf(reason !== undefined)(`changes of contained commands${reason ?? ""}`, () => {
  let bench: ContainedBench;
  const read = (path: string) => readFileSync(join(bench.project, path), "utf8");

  beforeAll(async () => {
    bench = containedBench();
    await bench.shell("git init -q; git config user.email t@example.com; git config user.name T");
    bench.write("app.py", "one\ntwo\n");
    bench.write("go.mod", "module example.com/demo\n");
    await bench.shell("git add -A; git commit -qm first");
    const { code, stderr } = await bench.toolkeep("init", "claude-code", "--contain", "--yes");
    expect(code, stderr).toBe(0);
  });
  afterAll(() => bench.remove());

  test("a project without any has an empty list, and nothing to undo", async () => {
    expect(await bench.json("changes")).toEqual([]);
    const { stdout, stderr } = await bench.toolkeep("changes");
    expect([stdout, stderr]).toEqual([
      "",
      `No contained command has changed anything in ${bench.project}.\n`,
    ]);
    expect(await bench.toolkeep("undo", "--yes")).toMatchObject({ code: 1, stdout: "" });
  });

  test("applied and held changes are listed with their reasons, and shown as differences", async () => {
    const line = python(
      put("app.py", "one\\ntwo!\\n"),
      put(".git/hooks/pre-commit", "x"),
      put("data", "\\0"),
    );
    expect((await bench.bash(line)).ran).toMatchObject({ code: 0 });
    const [first] = await bench.json("changes");
    expect(first).toEqual({
      ...{ number: 1, at: expect.stringMatching(/^\d{4}-.*Z$/), command: line, isUndone: false },
      kept: ["app.py", "data"],
      held: [{ path: ".git/hooks/pre-commit", why: expect.any(String) }],
      heldIn: join(
        bench.store,
        readdirSync(bench.store).find((name) => /^\w{24}$/.test(name)) ?? "",
        "commands/1/upper",
      ),
    });
    expect(readFileSync(join(first.heldIn, ".git/hooks/pre-commit"), "utf8")).toBe("x");
    const { diffs } = await bench.json("changes", "1", "--diff");
    expect(diffs).toEqual([
      { path: "app.py", state: "kept", diff: expect.stringContaining("-two\n+two!") },
      { path: "data", state: "kept", diff: "A binary or large file was created." },
      { path: ".git/hooks/pre-commit", state: "held", diff: expect.stringContaining("+x") },
    ]);
    const { stdout } = await bench.toolkeep("changes", "1", "--diff");
    expect(stdout).toContain("     held     .git/hooks/pre-commit: ");
    expect(stdout).toContain(
      "\napplied  app.py\n--- app.py\n+++ app.py\n@@ -1,2 +1,2 @@\n one\n-two\n+two!\n",
    );
  });

  test("nothing is applied or undone without a terminal and without --yes", async () => {
    for (const args of [["keep", "1"], ["undo"]]) {
      expect(await bench.toolkeep(...args)).toMatchObject({
        code: 4,
        stdout: "",
        stderr: expect.stringContaining("Run again with --yes."),
      });
    }
    expect(read("app.py")).toBe("one\ntwo!\n");
    expect(existsSync(join(bench.project, ".git/hooks/pre-commit"))).toBe(false);
  });

  test("`keep` shows what it would write over before it asks", async () => {
    bench.write(".git/hooks/pre-commit", "mine");
    const { code, stderr } = await bench.toolkeep("keep", "1");
    expect([code, read(".git/hooks/pre-commit")]).toEqual([4, "mine"]);
    expect(stderr).toContain("-mine\n");
    expect(stderr).toContain("+x\n");
    rmSync(join(bench.project, ".git/hooks/pre-commit"));
  });

  test("a held path is applied as `changes` shows it, as a shell completes it, or by its folder", async () => {
    expect(await bench.toolkeep("keep", "1", "src", "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Command 1 holds nothing at src."),
    });
    expect(
      await bench.toolkeep("keep", "1", "hooks/", "--yes", "--cwd", join(bench.project, ".git")),
    ).toMatchObject({
      code: 0,
      stdout: "Applied: .git/hooks/pre-commit. Undo: `toolkeep undo`.\n",
    });
    expect(read(".git/hooks/pre-commit")).toBe("x");
    expect((await bench.json("changes", "1")).held).toEqual([]);
    expect(await bench.json("undo", "--yes")).toEqual({ commands: [2], paths: [".git/hooks/pre-commit"] });
    expect(existsSync(join(bench.project, ".git/hooks/pre-commit"))).toBe(false);
  });

  test("a new folder with a protected name in it is held as a whole", async () => {
    const made = await bench.bash(
      python(
        "import os",
        "os.makedirs('sub/.claude')",
        put("sub/.claude/settings.json", "{}"),
        put("sub/a", "a"),
      ),
    );
    expect(made.ran?.stderr).toContain("sub/.claude/settings.json: programs run it by themselves");
    expect(existsSync(join(bench.project, "sub"))).toBe(false);
    const held = await bench.json("changes", "3", "--diff");
    expect(held.held).toHaveLength(1);
    expect(held.diffs.map(({ path }: { path: string }) => path).toSorted()).toEqual([
      "sub/.claude/settings.json",
      "sub/a",
    ]);
    expect(await bench.toolkeep("keep", "3", "sub/", "--yes")).toMatchObject({ code: 0 });
    expect(read("sub/a")).toBe("a");
    await bench.toolkeep("undo", "--yes");
    expect(existsSync(join(bench.project, "sub"))).toBe(false);
  });

  test("several commands on the same files and in a new folder are undone together", async () => {
    const before = (await bench.json("changes")).at(-1).number + 1;
    await bench.bash(python("import os", "os.makedirs('new')", put("new/a", "1"), put("app.py", "1\\n")));
    await bench.bash(python(put("new/a", "2"), put("new/b", "2"), put("app.py", "2\\n")));
    await bench.bash(python("import os", "os.remove('new/b')", put("app.py", "3\\n")));
    expect(await bench.toolkeep("undo", `${before}`, "--yes")).toMatchObject({
      code: 0,
      stdout: `Undone: commands ${before + 2}, ${before + 1}, ${before}, 7 changes.\n`,
    });
    expect(read("app.py")).toBe("one\ntwo!\n");
    expect(existsSync(join(bench.project, "new"))).toBe(false);
    expect(await bench.toolkeep("undo", `${before}`, "--yes")).toMatchObject({
      stderr: expect.stringContaining(`Command ${before} is undone already.`),
    });
  });

  test("an edit within a new folder keeps that folder from being undone", async () => {
    await bench.bash(python("import os", "os.makedirs('mine')", put("mine/a", "1")));
    const { number } = (await bench.json("changes")).at(-1);
    writeFileSync(join(bench.project, "mine/a"), "edited");
    expect(await bench.toolkeep("undo", "--yes")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`Command ${number} was not undone: mine changed since`),
    });
    expect(read("mine/a")).toBe("edited");
  });

  test("an edit after the first of several commands keeps all of them", async () => {
    await bench.bash(python(put("app.py", "1\\n"), put("early", "1")));
    const { number } = (await bench.json("changes")).at(-1);
    await bench.bash(python(put("app.py", "2\\n")));
    bench.write("early", "edited");
    expect(await bench.toolkeep("undo", `${number}`, "--yes")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`Command ${number} was not undone: early changed since`),
    });
    expect([read("app.py"), read("early")]).toEqual(["2\n", "edited"]);
    rmSync(join(bench.project, "early"));
    bench.write("early", "1");
    expect(await bench.toolkeep("undo", "--yes")).toMatchObject({ code: 0 });
  });

  test("what git stores of a commit is one line", async () => {
    const commit = "subprocess.run(['git', 'commit', '-q', '--allow-empty', '-m', 'second'])";
    expect((await bench.bash(python("import subprocess", commit))).ran).toMatchObject({ code: 0 });
    const { number, kept } = (await bench.json("changes")).at(-1);
    expect(kept).toContainEqual(expect.stringContaining(".git/objects/"));
    const { stdout } = await bench.toolkeep("changes", `${number}`);
    expect(stdout).toMatch(/^ {5}applied {2}\d+ objects? of git$/m);
    expect(stdout).not.toContain(".git/objects/");
  });

  test("the store is the user's alone", () => {
    const open = readdirSync(bench.store, { recursive: true, withFileTypes: true })
      .filter((entry) => /\/commands\/\d+$/.test(entry.parentPath))
      .filter((entry) => (lstatSync(join(entry.parentPath, entry.name)).mode & 0o077) !== 0)
      .map(({ name }) => name);
    expect(open).toEqual([]);
    expect(lstatSync(join(bench.home, ".local/state/toolkeep")).mode & 0o777).toBe(0o700);
  });
});
