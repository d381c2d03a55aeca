import { alternatingRounds } from "../host/alternating-rounds.ts";
import { bareRipgrep } from "./bare-ripgrep.ts";
import { FREQUENT, type GeneratedRepository, RARE } from "./generated-repository.ts";
import type { ToolBench } from "./tool-bench.ts";

export type Times = ReadonlyMap<string, readonly number[]>;

export const BARE = {
  rare: "rg, rare word",
  frequent: "rg, frequent word",
  files: "rg --files",
} as const;
export const OURS = {
  rare: "grep, rare word",
  frequent: "grep, frequent word, first 200",
  counted: "grep, frequent word, counted in the first 200 files",
  files: "glob **/*.ts",
  everything: "glob **",
} as const;

/** The whole tree: grep and glob compared with bare ripgrep. */
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
