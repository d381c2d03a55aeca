import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseCommand, parseWith } from "./parse-command.ts";
import { secondOpinion } from "./second-opinion.ts";
import { loadTreeSitterBash, type ParseBash } from "./tree-sitter-bash.ts";

const home = "/home/me";

function opinionOn(line: string) {
  return secondOpinion(line, { home, load: loadTreeSitterBash });
}

describe("what the second parser sees", () => {
  test.each([
    ["git log -n 5 -- a.txt", [["git", "log", "-n", "5", "--", "a.txt"]], []],
    ["echo 'a b'\"c d\"e ''", [["echo", "a bc de", ""]], []],
    ['echo "a\n\n b"', [["echo", "a\n\n b"]], []],
    ["cat ~/a ~ '~/b'", [["cat", "/home/me/a", "/home/me", "~/b"]], []],
    ["a && b || c; d | e\nf", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]], ["&&", "||", ";", "|"]],
    ["[ -f 'a b' ] && x", [["[", "-f", "a b", "]"], ["x"]], ["&&"]],
    ["test a = b", [["test", "a", "=", "b"]], []],
  ])("%j", async (line, commands, operators) => {
    expect(await opinionOn(line)).toMatchObject({ commands, operators });
  });

  test.each([
    "echo $x",
    "echo $(x)",
    'echo "$x"',
    'echo "`x`"',
    "echo a\\ b",
    "A=1 x",
    "x > y",
    "x & y",
    "x |& y",
    "(x)",
    "{ x; }",
    "if x; then y; fi",
    "x # y",
    "export a",
    "[[ a ]]",
    "[ a=b ]",
    "x 'y",
    "x &&",
    "f() { x; }",
    "x <<A\ny\nA",
    "! x",
  ])("%j is more than plain commands", async (line) => {
    expect(await opinionOn(line)).toEqual({
      reason: "a second parser finds more in it than plain commands",
    });
  });
});

describe("no line is plain without it", () => {
  const REASON = "the second parser of command lines failed";
  const broken: ParseBash = () => {
    throw new RangeError("Maximum call stack size exceeded");
  };

  test.each([
    ["it cannot be loaded", () => Promise.reject(new Error("no such file"))],
    [
      "loading throws",
      () => {
        throw new Error("no such module");
      },
    ],
    ["it breaks", async () => broken],
  ])("%s", async (_why, load) => {
    const parsed = await parseWith("git status", { home, load });
    expect(parsed).toEqual({
      plain: false,
      reason: REASON,
      commands: [{ argv: ["git", "status"], redirects: [] }],
    });
    expect(await parseCommand("git status", { home })).toMatchObject({ plain: true });
  });

  test.each([
    ["another argument", "git statu"],
    ["one argument less", "git"],
    ["one argument more", "git status x"],
    ["one command more", "git status; ls"],
    ["two arguments for one", "git 'status'\" \""],
  ])("it sees %s", async (_what, other) => {
    const parse = await loadTreeSitterBash();
    const parsed = await parseWith("git status", { home, load: async () => () => parse(other) });
    expect(parsed).toMatchObject({ plain: false, reason: "it can be read in more than one way" });
  });

  test("it sees another operator, which decides where `cd` leads", async () => {
    const parse = await loadTreeSitterBash();
    const load = async (): Promise<ParseBash> => () => parse("cd a; ls");
    expect(await parseWith("cd a && ls", { home, load })).toMatchObject({ plain: false });
    expect(await parseCommand("cd a && ls", { home })).toMatchObject({ plain: true });
  });

  test("it is not asked about lines that are not plain anyway", async () => {
    let asked = 0;
    const load = async (): Promise<ParseBash> => {
      asked += 1;
      return broken;
    };
    for (const line of ["ls $x", "sudo ls", "eval x", "A=1 ls", Array(33).fill("ls").join(";")])
      expect(await parseWith(line, { home, load })).toMatchObject({ plain: false });
    expect(asked).toBe(0);
  });
});

test("what takes it too long is given up, and the next line is parsed from its own beginning", async () => {
  const parse = await loadTreeSitterBash();
  const started = performance.now();
  expect(() => parse("$(a ".repeat(400_000))).toThrow("took longer");
  expect(performance.now() - started).toBeLessThan(20_000);
  expect(parse("ls").children.map(({ text }) => text)).toEqual(["ls"]);
});

test("importing the package loads no parser; the first plain line does", () => {
  const script = `
    import { createRequire } from "node:module";
    import { parseCommand } from "@toolkeep/node/internal";
    const loaded = () => Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes("tree-sitter"));
    const before = loaded();
    await parseCommand("ls $x", { home: "/" });
    const between = loaded();
    await parseCommand("ls", { home: "/" });
    console.log(JSON.stringify([before, between, loaded()]));
  `;
  const args = ["--conditions=@toolkeep/source", "--input-type=module", "--eval", script];
  const said = execFileSync(process.execPath, args, {
    cwd: join(import.meta.dirname, "../.."),
    encoding: "utf8",
  });
  expect(JSON.parse(said)).toEqual([false, false, true]);
});
