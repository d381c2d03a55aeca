import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadTreeSitterBash, type ParseBash } from "../bash/tree-sitter-bash.ts";
import { parseCommand, parseWith } from "../parse-command.ts";
import { secondOpinion } from "./second-opinion.ts";
import { shapeText } from "./shape.ts";

const home = "/home/me";

function opinionOn(line: string) {
  return secondOpinion(line, { home, load: loadTreeSitterBash });
}

/** A command with nothing but words. */
function words(...argv: readonly string[]): string {
  return shapeText({ words: argv, assignments: [], redirects: [], printed: [] });
}

describe("what the second parser sees", () => {
  test.each([
    ["git log -n 5 -- a.txt", [words("git", "log", "-n", "5", "--", "a.txt")]],
    ["echo 'a b'\"c d\"e ''", [words("echo", "a bc de", "")]],
    ['echo "a\n\n b"', [words("echo", "a\n\n b")]],
    ["cat ~/a ~ '~/b'", [words("cat", "/home/me/a", "/home/me", "~/b")]],
    [
      "a && b || c; d | e\nf & g",
      [
        words("a"),
        "&&",
        words("b"),
        "||",
        words("c"),
        ";",
        words("d"),
        "|",
        words("e"),
        words("f"),
        "&",
        words("g"),
      ],
    ],
    ["[ -f 'a b' ] && x", [words("[", "-f", "a b", "]"), "&&", words("x")]],
    ["test a = b", [words("test", "a", "=", "b")]],
    ['echo $x "a $y \\"b\\" \\n" c\\ d', [words("echo", "$x", 'a $y "b" \\n', "c d")]],
    ["! x", ["!", words("x")]],
    ["{ x; } || (y) # z", ["{", words("x"), ";", "}", "||", "(", words("y"), ")"]],
    ["time x y", ["time", words("x", "y")]],
    ["if x; then y; fi", ["if", words("x"), ";", "then", words("y"), ";", "fi"]],
    ["for f in a 'b c'; do x; done", ['for ["f","a","b c"]', "do", words("x"), ";", "done"]],
  ])("%j", async (line, shape) => {
    expect(await opinionOn(line)).toMatchObject({ shape });
  });

  test("what is set, redirected and fed belongs to a command", async () => {
    const line = "A=1 x > y 2>&1 <<'E' | z\n$b\nE";
    const command = {
      words: ["x"],
      assignments: ["A=1"],
      redirects: [
        ["", ">", "y"],
        ["2", ">&", "1"],
        ["", "<<", "$b\n"],
      ],
      printed: [],
    } as const;
    expect(await opinionOn(line)).toMatchObject({ shape: [shapeText(command), "|", words("z")] });
  });

  test("a redirect belongs to the command before it, whatever comes before that", async () => {
    const redirected = (name: string, target: string) =>
      shapeText({ words: [name], assignments: [], redirects: [["", ">", target]], printed: [] });
    expect(await opinionOn("a && b > x | c > y; d")).toMatchObject({
      shape: [words("a"), "&&", redirected("b", "x"), "|", redirected("c", "y"), ";", words("d")],
    });
  });

  test("what `cat` prints into an arg is seen", async () => {
    const put = "$(cat <<'E'\nit's $b\nE\n)";
    const command = { words: ["x", `a${put}`], assignments: [], redirects: [], printed: ["it's $b"] };
    expect(await opinionOn(`x "a${put}"`)).toMatchObject({ shape: [shapeText(command)] });
  });

  test.each([
    "echo $(x)",
    'echo "`x`"',
    `echo "\${x:-y}"`,
    'echo "$(cat x)"',
    'echo "$(cat <<E\n$x\nE\n)"',
    "cat <<E\n$x\nE",
    "x |& y",
    "select f in x; do y; done",
    "for f in $x; do y; done",
    "for f; do y; done",
    "export a",
    "[ a=b ]",
    "x 'y",
    "x &&",
    "f() { x; }",
    "x <(y)",
    "x <> y",
  ])("%j is more than plain commands", async (line) => {
    expect(await opinionOn(line)).toEqual({
      reason: "parts of it are not plain commands, so what it runs cannot be told in advance",
    });
  });
});

describe("no line but bare words is plain without it", () => {
  const LINE = "git 'status'";
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
    const parsed = await parseWith(LINE, { home, load });
    expect(parsed).toEqual({
      plain: false,
      reason: REASON,
      commands: [{ argv: ["git", "status"], redirects: [] }],
      home,
    });
    expect(await parseCommand(LINE, { home })).toMatchObject({ plain: true });
    expect(await parseWith("git status", { home, load })).toMatchObject({ plain: true });
  });

  test.each([
    ["another argument", "git statu"],
    ["one argument less", "git"],
    ["one argument more", "git status x"],
    ["one command more", "git status; ls"],
    ["two arguments for one", "git 'status'\" \""],
  ])("it sees %s", async (_what, other) => {
    const parse = await loadTreeSitterBash();
    const parsed = await parseWith(LINE, { home, load: async () => () => parse(other) });
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
    for (const line of ["ls $x", "sudo ls", "eval x", "A=1 ls", "node -e 1", Array(33).fill("ls").join(";")])
      expect(await parseWith(line, { home, load })).toMatchObject({ plain: false });
    expect(asked).toBe(0);
  });
});

test("what takes it too long is given up, and the next line is parsed from its own beginning", async () => {
  const parse = await loadTreeSitterBash();
  const started = performance.now();
  expect(() => parse("$(a ".repeat(400_000))).toThrow("took longer");
  expect(performance.now() - started).toBeLessThan(90_000);
  expect(parse("ls").children.map(({ text }) => text)).toEqual(["ls"]);
});

test("importing the package loads no parser, nor do bare words; the first other plain line does", () => {
  const script = `
    import { createRequire } from "node:module";
    import { parseCommand } from "@toolkeep/node/internal";
    const loaded = () => Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes("tree-sitter"));
    const before = loaded();
    await parseCommand("ls $x", { home: "/" });
    await parseCommand("ls -la src/a.ts", { home: "/" });
    const between = loaded();
    await parseCommand("ls | head", { home: "/" });
    console.log(JSON.stringify([before, between, loaded()]));
  `;
  const args = ["--conditions=@toolkeep/source", "--input-type=module", "--eval", script];
  const said = execFileSync(process.execPath, args, {
    cwd: join(import.meta.dirname, "../.."),
    encoding: "utf8",
  });
  expect(JSON.parse(said)).toEqual([false, false, true]);
});
