import { alternatingRounds } from "../host/alternating-rounds.ts";
import { bareRipgrep } from "./bare-ripgrep.ts";
import { FREQUENT, type GeneratedRepository, RARE, SMALL_SIZES } from "./generated-repository.ts";
import type { ToolBench } from "./tool-bench.ts";

export type Times = ReadonlyMap<string, readonly number[]>;

export const BARE = {
  rare: "rg, rare word",
  frequent: "rg, frequent word",
  files: "rg --files",
  small: (files: number) => `rg in ${files} files`,
} as const;
export const OURS = {
  rare: "grep, rare word",
  frequent: "grep, frequent word, first 200",
  counted: "grep, frequent word, counted in the first 200 files",
  files: "glob **/*.ts",
  everything: "glob **",
  small: (files: number) => `grep in ${files} files`,
  smallExpression: (files: number) => `grep for an expression in ${files} files`,
} as const;

/** The whole tree: grep and glob beside bare ripgrep. */
export async function wholeTree(
  bench: ToolBench,
  { root }: GeneratedRepository,
  rounds: number,
): Promise<Times> {
  const grep = (args: object) => bench.call("grep", { ...args });
  return alternatingRounds(
    [
      { name: BARE.rare, run: () => bareRipgrep(["-n", "-e", RARE, "--", root]) },
      { name: OURS.rare, run: () => grep({ pattern: RARE }) },
      { name: BARE.frequent, run: () => bareRipgrep(["-n", "-e", FREQUENT, "--", root]) },
      { name: OURS.frequent, run: () => grep({ pattern: FREQUENT }) },
      { name: OURS.counted, run: () => grep({ pattern: FREQUENT, output_mode: "count" }) },
      { name: BARE.files, run: () => bareRipgrep(["--files", "--", root]) },
      { name: OURS.files, run: () => bench.call("glob", { pattern: "**/*.ts" }) },
      { name: OURS.everything, run: () => bench.call("glob", { pattern: "**" }) },
    ],
    rounds,
  );
}

/** Folders in which starting a process takes longer than searching. */
export async function smallTrees(
  bench: ToolBench,
  { small }: GeneratedRepository,
  rounds: number,
): Promise<Times> {
  const tasks = SMALL_SIZES.flatMap((files) => {
    const path = small(files);
    return [
      { name: BARE.small(files), run: () => bareRipgrep(["-n", "-e", FREQUENT, "--", path]) },
      { name: OURS.small(files), run: () => bench.call("grep", { pattern: FREQUENT, path }) },
      {
        name: OURS.smallExpression(files),
        run: () => bench.call("grep", { pattern: `${FREQUENT}\\b`, path }),
      },
    ];
  });
  return alternatingRounds(tasks, rounds);
}
