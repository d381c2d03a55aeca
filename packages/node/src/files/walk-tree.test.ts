import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Grant } from "@toolkeep/core";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FILE_BOUNDS } from "./file-bounds.ts";
import { EVERY_PATH, relativeGlob } from "./relative-glob.ts";
import { ripgrep } from "./ripgrep.ts";
import { isWanted, type SearchedTree, walkArguments } from "./searched-tree.ts";
import { type WalkBounds, walkTree } from "./walk-tree.ts";

/** `TOOLKEEP_RUNS=5000` is the campaign. */
const RUNS = Number(process.env["TOOLKEEP_RUNS"] ?? 150);
const UNBOUNDED: WalkBounds = { files: Number.POSITIVE_INFINITY, entries: Number.POSITIVE_INFINITY };

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-walk-")));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(home, { recursive: true, force: true });
});

function put(path: string, content = "x"): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), content);
}

function tree(more: Partial<SearchedTree> = {}): SearchedTree {
  const grant = { abortSignal: new AbortController().signal } as Grant;
  const root = join(home, "root");
  return {
    grant,
    bounds: FILE_BOUNDS,
    root,
    isFolder: true,
    glob: EVERY_PATH,
    hidden: false,
    all: false,
    ...more,
  };
}

async function walked(of: SearchedTree, bounds = UNBOUNDED): Promise<readonly string[] | string> {
  const found = await walkTree(of, bounds);
  if (typeof found === "string") return found;
  return found.flatMap(({ path, names }) => names.map((name) => join(path, name))).toSorted();
}

async function byRipgrep(of: SearchedTree): Promise<readonly string[]> {
  const argv = ["--files", "--null", ...walkArguments(of)];
  const output = await Array.fromAsync(ripgrep({ argv, abortSignal: of.grant.abortSignal }));
  const paths = Buffer.concat(output).toString().split("\0").slice(0, -1);
  return paths.filter((path) => isWanted(path, of)).toSorted();
}

const NAMES = [
  "a",
  "b",
  "ab",
  "a.log",
  "b.log",
  "x.ts",
  "dist",
  "a b",
  ".h",
  "b-2",
  "ab.c.log",
  ".git",
] as const;
const name = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom("a", "b", "a.log") },
  { weight: 1, arbitrary: fc.constantFrom(...NAMES) },
);
const part = fc.oneof(
  { weight: 3, arbitrary: name },
  { weight: 2, arbitrary: fc.constantFrom("*", "*", "*.log", "a*", "*b", "*.c.log", "*a*", ".*") },
);
const ruleLine = fc
  .record({
    before: fc.constantFrom("", "", "", "!", "/", "!/", "**/", "!**/", "#", " "),
    parts: fc.oneof(
      { weight: 2, arbitrary: fc.tuple(part) },
      { weight: 1, arbitrary: fc.tuple(part, part) },
      { weight: 1, arbitrary: fc.array(part, { minLength: 1, maxLength: 3 }) },
    ),
    between: fc.constantFrom("/", "/", "/", "/**/"),
    after: fc.constantFrom("", "", "", "/", "/**", " ", "\r", "/*"),
  })
  .map(({ before, parts, between, after }) => `${before}${parts.join(between)}${after}`);
/** Also what the walk must leave to ripgrep. */
const oddLine = fc.constantFrom(
  "a[b]",
  "{a,b}",
  "\\!a",
  "a?",
  "**a",
  "//",
  "/",
  "!",
  "a//b",
  "./a",
  "é",
  "**",
  "a/../b",
);
const ignoreFile = fc
  .array(fc.oneof({ weight: 80, arbitrary: ruleLine }, { weight: 1, arbitrary: oddLine }), {
    minLength: 1,
    maxLength: 5,
  })
  .map((lines) => lines.join("\n"));
const folder = fc.oneof(fc.constant([]), fc.array(name, { maxLength: 2 })).map((names) => names.join("/"));
const rarely = <Value>(weight: number, arbitrary: fc.Arbitrary<Value>) =>
  fc.oneof({ weight, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
const world = fc.record({
  files: fc.array(fc.tuple(folder, name), { minLength: 10, maxLength: 30 }),
  ignores: fc.array(fc.tuple(folder, ignoreFile), { minLength: 1, maxLength: 4 }),
  above: rarely(2, ignoreFile),
  other: rarely(8, fc.tuple(fc.constantFrom(".ignore", ".rgignore", ".git/info/exclude"), ignoreFile)),
  hidden: fc.boolean(),
  pattern: fc.constantFrom(
    ...Array<string>(8).fill("**"),
    "**/*.log",
    "*",
    "a/*",
    "*/b/**",
    "{a,b}/**/*.log",
    "**/a/*",
    ".*/**",
    "dist/a/b",
  ),
});

describe("a walk in this process", () => {
  test(
    `finds what ripgrep finds, whatever is ignored (${RUNS} trees)`,
    async () => {
      let own = 0;
      let ignored = 0;
      await fc.assert(
        fc.asyncProperty(world, async ({ files, ignores, above, other, hidden, pattern }) => {
          rmSync(join(home, "root"), { recursive: true, force: true });
          for (const [at, file] of files) tryPut(join("root", at, file), "x");
          for (const [at, text] of ignores) tryPut(join("root", at, ".gitignore"), text);
          tryPut(".gitignore", above ?? "");
          if (other !== undefined) tryPut(join("root", other[0]), other[1]);
          mkdirSync(join(home, "root"), { recursive: true });
          const glob = relativeGlob(pattern);
          const found = await walked(tree({ hidden, glob }));
          if (found === "unclear") return;
          own += 1;
          ignored += (await walked(tree({ all: true, glob }))).length - found.length;
          expect(found).toEqual(await byRipgrep(tree({ hidden, glob })));
        }),
        { numRuns: RUNS },
      );
      console.log(`${own} of ${RUNS} trees walked, ${ignored} files left out`);
      expect(own).toBeGreaterThan(RUNS / 3);
      expect(ignored).toBeGreaterThan(RUNS / 2);
    },
    30_000 + RUNS * 100,
  );
});

describe("a walk gives up", () => {
  test("past its bounds", async () => {
    for (const path of ["root/a", "root/b", "root/sub/c"]) put(path);
    expect(await walked(tree(), { files: 2, entries: 10 })).toBe("too many");
    expect(await walked(tree(), { files: 10, entries: 3 })).toBe("too many");
    expect(await walked(tree(), { files: 3, entries: 4 })).toHaveLength(3);
  });

  test.each([
    ["a link", () => symlinkSync("a", join(home, "root/sub/.gitignore"))],
    ["a pipe that nobody writes to", () => execFileSync("mkfifo", [join(home, "root/sub/.gitignore")])],
    ["a folder", () => mkdirSync(join(home, "root/sub/.gitignore"))],
    ["a very long one", () => put("root/sub/.gitignore", "a\n".repeat(40_000))],
    [
      "one that is no text",
      () => writeFileSync(join(home, "root/sub/.gitignore"), Buffer.from([97, 10, 255])),
    ],
    ["one with classes", () => put("root/sub/.gitignore", "[ab]\n")],
  ])("where the rules are %s", async (_name, make) => {
    put("root/sub/a");
    make();
    expect(await walked(tree())).toBe("unclear");
    expect(await walked(tree({ all: true }))).toContain(join(home, "root/sub/a"));
  });

  test("when the call is over", async () => {
    hurry();
    for (const name of ["a", "b", "c"]) put(`root/${name}/x`);
    const stop = new AbortController();
    const grant = { abortSignal: stop.signal } as Grant;
    const walk = walkTree(tree({ grant }), UNBOUNDED);
    stop.abort();
    await expect(walk).rejects.toThrow("aborted");
  });
});

test("a walk follows no link, and lets others have their turn", async () => {
  put("outside/secret");
  for (let index = 0; index < 120; index += 1) put(`root/${index}/${"d/".repeat(20)}x`);
  hurry();
  symlinkSync(join(home, "outside"), join(home, "root/link"));
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  expect(await walked(tree())).toHaveLength(120);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(0);
});

/** From now on whatever looks at the clock has worked long enough for one turn. */
function hurry(): void {
  let now = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => {
    now += 1_000;
    return now;
  });
}

/** A name may be a file's here and a folder's there. */
function tryPut(path: string, content: string): void {
  try {
    put(path, content);
  } catch {
    // Then there is one file less.
  }
}
