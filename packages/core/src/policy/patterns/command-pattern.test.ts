import fc from "fast-check";
import { expect, test } from "vitest";
import { isHarmlessOption } from "../../commands/options/harmless-options.ts";
import { joinCommand } from "../../contract/call/effect.ts";
import { compileGlob } from "./compile-glob.ts";

const allows = (pattern: string, target: string) => compileGlob(pattern).matches(target, "command");
const stops = (pattern: string, target: string) => compileGlob(pattern).mayMatch(target, "command");

test.each([
  ["git status", ["git status"], ["git", "git status .", "./git status", "/bin/git status"]],
  ["git add *", ["git add", "git add a", "git add a b/c"], ["git", "git addx", "git commit a"]],
  ["git * main", ["git push main", "git 'a b' main"], ["git main", "git push origin main"]],
  ["npm run test:*", ["npm run test:unit"], ["npm run test", "npm run test:unit x"]],
  ["npm {test,run} *", ["npm test", "npm run build"], ["npm install"]],
  ["echo 'a b' ?", ["echo 'a b' c"], ["echo a b c", "echo 'a b' cd"]],
  ["*", ["", "git", "rm -rf /"], []],
  ["**", ["", "git", "rm -rf /"], []],
] as const)("the command pattern %j", (pattern, matching, others) => {
  expect(matching.filter((target) => allows(pattern, target))).toEqual(matching);
  expect(others.filter((target) => allows(pattern, target))).toEqual([]);
  expect(matching.filter((target) => stops(pattern, target))).toEqual(matching);
});

test("a wildcard allows no option that could write or execute, and nothing that may become one", () => {
  expect(isHarmlessOption(["sort", "-o", "a"], 1)).toBe(false);
  const unsafe = [
    "sort -o a",
    "sort a -ob.txt",
    "sort *",
    "sort ?a",
    "sort [-]oa",
    "sort {-oa,b}",
    "sort @(-o)",
  ];
  expect(unsafe.filter((target) => allows("sort *", target))).toEqual([]);
  expect(unsafe.filter((target) => stops("sort *", target))).toEqual(unsafe);
  expect(allows("sort *.txt", "sort -oa.txt")).toBe(false);
  expect(allows("sort ?oa *", "sort -oa b")).toBe(false);
  expect(allows("sort *", "sort a* b/[c]")).toBe(true);
  expect(allows("find *", "find . -name *.ts")).toBe(true);
  expect(allows("find *", "find . -name *.ts -delete")).toBe(false);
});

test("a pattern for one word does not cover a word that a shell may make several of", () => {
  const several = ["tests/??", "a*", "v[12]", "{a,b}", "x@(y)", "?*"].map(
    (word) => `git checkout -b ${word}`,
  );
  expect(several.filter((target) => allows("git checkout -b ?*", target))).toEqual([]);
  expect(allows("git checkout -b a*", "git checkout -b a*")).toBe(false);
  expect(allows("run ?* twice *", "run a? twice b")).toBe(false);
  expect(allows("git checkout -b ?*", "git checkout -b fix/open-ranges")).toBe(true);
  expect(allows("note ?*", "note 'Why not? [1]'")).toBe(true);
  expect(allows("[ -f * ]", "[ -f a ]")).toBe(true);
  expect(allows("find * -name * -print", "find . -name '*.ts' -print")).toBe(true);
});

test("a word that is written as an option allows the options that it covers", () => {
  expect(allows("sort -o *", "sort -o a")).toBe(true);
  expect(allows("sort --output=*", "sort --output=a.txt")).toBe(true);
  expect(allows("sort -* a", "sort -oa a")).toBe(true);
  expect(allows("sort --output=?", "sort --output=*")).toBe(false);
});

test("a harmless option is allowed by a wildcard", () => {
  const argv = ["git", "log", "--oneline", "main"];
  expect(isHarmlessOption(argv, 2)).toBe(true);
  expect(allows("git log *", joinCommand(argv))).toBe(true);
  expect(allows("git log * main", joinCommand(argv))).toBe(true);
});

test("what forbids knows a command by its bare name and without its global options", () => {
  expect(stops("git push *", "/usr/bin/git -C /repo push origin")).toBe(true);
  expect(allows("git push *", "/usr/bin/git -C /repo push origin")).toBe(false);
});

test("what forbids takes a shell's wildcard for any number of the words it could become", () => {
  const meeting = ["rm *", "rm -r* /", "rm [-]rf /", "rm -{rf,x} /", "r? -rf /", "rm -rf / *", "rm * -rf /"];
  expect(meeting.filter((target) => stops("rm -rf /", target))).toEqual(meeting);
  const apart = ["rm *.ts", "rm -rf", "rm -rf a* b", "ls *", "rm -rf 'a{b c,d}'"];
  expect(apart.filter((target) => stops("rm -rf /", target))).toEqual([]);
});

const word = fc
  .array(fc.constantFrom("a", "b", "-", "*", "?", " "), { minLength: 1, maxLength: 3 })
  .map((chars) => chars.join(""));
const fills = fc.array(fc.array(fc.constantFrom("a", "b", "-"), { maxLength: 2 }), { maxLength: 3 });

/** A command that a shell may make of one with wildcards. */
function instanceOf(argv: readonly string[], filled: readonly string[]): string[] {
  return argv.flatMap((one) =>
    /[*?]/.test(one)
      ? filled.map((text) => one.replaceAll("*", text).replaceAll("?", text[0] ?? "a"))
      : [one],
  );
}

test("what allows a command allows what a shell makes of it; what stops that may stop the command", () => {
  let [allowed, stopped] = [0, 0];
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 3 }),
      fc.array(word, { maxLength: 3 }),
      fills,
      (parts, argv, texts) => {
        const pattern = joinCommand(["a", ...parts]);
        const target = joinCommand(["a", ...argv]);
        const instance = joinCommand([
          "a",
          ...instanceOf(
            argv,
            texts.map((chars) => chars.join("")),
          ),
        ]);
        const isOneForOne = texts.length === 1;
        if (isOneForOne && allows(pattern, target)) {
          allowed += 1;
          expect(allows(pattern, instance)).toBe(true);
        }
        if (stops(pattern, instance)) {
          stopped += 1;
          expect(stops(pattern, target)).toBe(true);
        }
      },
    ),
    { numRuns: 20_000 },
  );
  expect(Math.min(allowed, stopped)).toBeGreaterThan(50);
});
