import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import { parseCommand } from "@toolkeep/node/internal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Random } from "./shell-fuzz/random.ts";
import { SHELLS } from "./shell-fuzz/shells-jail.ts";

/*
 * Where commands run after `cd`, held against the shells. The lines go through folders that are there and through some
 * that are not, and only print where they are.
 */

const runs = Number(process.env["TOOLKEEP_RUNS"] ?? 100);
const seed = Number(process.env["TOOLKEEP_SEED"] ?? Date.now() % 1_000_000);
const shells = Object.entries(SHELLS).filter(([, [program = ""]]) => existsSync(program));

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-moves-")));
  for (const folder of ["a/a/a", "a/b/a", "b/a/b", "b/b"]) mkdirSync(join(root, folder), { recursive: true });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Prints where it is, with a number of its own. */
function place(count: { next: number }): string {
  count.next += 1;
  return `echo $PWD:${count.next}`;
}

function command(random: Random, count: { next: number }, depth: number): string {
  const inner = () => list(random, count, depth + 1);
  const kind = random.below(depth > 1 ? 7 : 11);
  if (kind < 3) return place(count);
  if (kind < 5) return `cd ${random.pick(["a", "b", "a/b", "no", "..", ".", "-", "/", root])}`;
  if (kind === 5) return random.pick(["exit 1", "exit", "exit 1 2", "false", "true", "time exit 1"]);
  if (kind === 6) return `! ${random.pick(["cd a", "exit 1", "true"])}`;
  if (kind === 7) return `{ ${inner()}; }`;
  if (kind === 8) return `( ${inner()} )`;
  if (kind === 9) return `if ${inner()}; then ${inner()}; fi`;
  return `for f in ${random.pick(["a b", "a", "no b"])}; do ${random.pick([`( cd $f && ${place(count)} )`, inner()])}; done`;
}

function list(random: Random, count: { next: number }, depth: number): string {
  const parts = random.some(1, 4, () => command(random, count, depth));
  return parts.reduce(
    (line, part) => line + random.pick(["; ", " && ", " || ", " || ", "\n", " | ", " & "]) + part,
  );
}

/** The numbered places that a reader names, in their order; `undefined` for a line that is not plain. */
type Reader = (line: string) => Promise<readonly (readonly [number: string, folder: string])[] | undefined>;

const ours: Reader = async (line) => {
  const parsed = await parseCommand(line, { home: root, folder: root }).catch((error: unknown) => {
    if (ToolFailure.isInstance(error)) return undefined;
    throw error;
  });
  if (parsed?.plain !== true) return undefined;
  return parsed.commands.flatMap(({ argv, folder = "" }) => {
    const number = /^\.:(\d+)$/.exec(argv[1] ?? "")?.[1];
    return number === undefined ? [] : [[number, folder] as const];
  });
};

/** Takes every line for plain, and follows each `cd` to a name. */
const naive: Reader = async (line) => {
  let at = "";
  return [...line.matchAll(/cd ([ab])\b|echo \$PWD:(\d+)/g)].flatMap(([, to, number]) => {
    at = to === undefined ? at : `${at}${at === "" ? "" : "/"}${to}`;
    return number === undefined ? [] : [[number, at] as const];
  });
};

/** Lines for which a shell was somewhere that the reader did not name, for this command or for one before it. */
async function wrongIn(
  reader: Reader,
  count = runs,
): Promise<{ readonly plain: number; readonly wrong: readonly string[] }> {
  const random = new Random(seed);
  const wrong: string[] = [];
  let plain = 0;
  for (let made = 0; made < count; made += 1) {
    const line = list(random, { next: 0 }, 0);
    const named = await reader(line);
    if (named === undefined || named.length === 0) continue;
    plain += 1;
    // Where a `cd` may fail, what comes after it is treated as in both places.
    const mayFail = /\bno\b/.test(line);
    for (const [shell, [program = "", ...options]] of shells) {
      const { stdout } = spawnSync(program, [...options, line], {
        cwd: root,
        encoding: "utf8",
        timeout: 10_000,
      });
      for (const [, path = "", number = ""] of stdout.matchAll(/^(.*):(\d+)$/gm)) {
        const last = named.findLastIndex(([one]) => one === number);
        const places = named.slice(0, last + 1).filter(([one]) => mayFail || one === number);
        const paths = [
          ...(mayFail ? [root] : []),
          ...places.map(([, folder]) => (folder.startsWith("/") ? folder : join(root, folder))),
        ];
        if (!paths.some((one) => one.replace(/(?<=.)\/$/, "") === path))
          wrong.push(`${shell}: ${line} (${number} in ${path})`);
      }
    }
  }
  return { plain, wrong };
}

describe(`where commands run, seed ${seed}`, () => {
  test("each shell is where we say it is", async () => {
    const { plain, wrong } = await wrongIn(ours);
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(plain).toBeGreaterThan(runs / 25);
  });

  test("a reader that follows every `cd` is caught", async () => {
    expect((await wrongIn(naive, 20)).wrong.length).toBeGreaterThan(0);
  });
});
