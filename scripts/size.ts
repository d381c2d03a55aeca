/**
 * Counts the lines of the sources, which is the one definition for every budget.
 * `npm run size [-- --json] [--base REVISION]`: `--base` also counts that git revision and prints the difference.
 *
 * - Counted are all lines, with comments and empty ones, of `packages/<package>/src/**` of the checkout, committed or not.
 *   `code` is without lines that are empty or hold nothing but a comment.
 * - Tests are files with `.test.` in their name, so `….test.ts` and `….test.kit.ts`.
 * - Data are files that are no TypeScript (`.json`, `.jsonl`, `.yaml`, …), and tables: modules that have a constant and
 *   nothing that runs, which means that no `=>`, `function` or `class` stands outside of their comments.
 */
import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Figure, printReport } from "../benchmarks/src/report.ts";
import { ROOT } from "./root.ts";

interface Size {
  readonly lines: number;
  readonly code: number;
  readonly files: number;
  readonly tests: number;
  readonly data: number;
}

type Sizes = ReadonlyMap<string, Size>;

const NOTHING: Size = { lines: 0, code: 0, files: 0, tests: 0, data: 0 };

const { values: options } = parseArgs({
  options: { json: { type: "boolean", default: false }, base: { type: "string" } },
});

const now = sizesIn(ROOT);
const before = options.base === undefined ? undefined : sizesAt(options.base);
printReport({ name: "size", goals: [], figures: figures(now, before) }, { json: options.json, quick: false });

function sizesIn(root: string): Sizes {
  const sizes = new Map<string, Size>();
  for (const file of globSync("packages/*/src/**", { cwd: root, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const path = join(file.parentPath, file.name);
    const name = path.slice(join(root, "packages/").length).split("/")[0] ?? "";
    sizes.set(name, sum(sizes.get(name) ?? NOTHING, sizeOf(file.name, readFileSync(path, "utf8"))));
  }
  return new Map([...sizes].toSorted(([, one], [, other]) => other.lines - one.lines));
}

function sizeOf(name: string, text: string): Size {
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  if (name.includes(".test.")) return { ...NOTHING, tests: lines };
  if (!name.endsWith(".ts") || isTable(text)) return { ...NOTHING, data: lines };
  return { ...NOTHING, lines, code: codeIn(text), files: 1 };
}

function codeIn(text: string): number {
  const code = text.replaceAll(/^\s*\/\*[\s\S]*?\*\/\s*$/gm, "").split("\n");
  return code.filter((line) => line.trim() !== "" && !line.trim().startsWith("//")).length;
}

function isTable(text: string): boolean {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/g, "");
  return /^(?:export )?const /m.test(code) && !/=>|\b(?:function|class)\b/.test(code);
}

function sum(one: Size, other: Size): Size {
  return {
    lines: one.lines + other.lines,
    code: one.code + other.code,
    files: one.files + other.files,
    tests: one.tests + other.tests,
    data: one.data + other.data,
  };
}

/** The sizes of another revision, counted by today's definition. */
function sizesAt(revision: string): Sizes {
  const folder = mkdtempSync(join(tmpdir(), "toolkeep-size-"));
  try {
    const archive = join(folder, "packages.tar");
    execFileSync("git", ["archive", `--output=${archive}`, revision, "packages"], { cwd: ROOT });
    execFileSync("tar", ["-xf", archive, "-C", folder]);
    return sizesIn(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function figures(sizes: Sizes, base: Sizes | undefined): readonly Figure[] {
  const names = new Set([...sizes.keys(), ...(base?.keys() ?? [])]);
  const rows = [...names].map((name) => ({ name, size: sizes.get(name), old: base?.get(name) }));
  const total = { name: "total", size: totalOf(sizes), old: base && totalOf(base) };
  return [...rows, total].map(({ name, size = NOTHING, old = NOTHING }) => ({
    name,
    ...size,
    ...(base && {
      base: old.lines,
      net: size.lines - old.lines,
      "net code": size.code - old.code,
      "net files": size.files - old.files,
    }),
  }));
}

function totalOf(sizes: Sizes): Size {
  return [...sizes.values()].reduce(sum, NOTHING);
}
