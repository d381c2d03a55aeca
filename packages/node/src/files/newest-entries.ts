import { lstatSync } from "node:fs";
import type { FileEntry } from "@toolkeep/core";
import { breaths } from "./breaths.ts";
import { foundEntry } from "./found-entry.ts";
import { ReadablePaths } from "./readable-paths.ts";
import type { SearchedTree } from "./searched-tree.ts";

export interface NewestOptions {
  readonly tree: SearchedTree;
  readonly limit: number;
}

/**
 * The files that were changed last, in that order. The order goes by paths, and somebody who swaps folders can
 * mislead it; whether a file is shown, and what is said of it, goes by the folder that is held.
 */
export async function newestEntries(
  paths: readonly string[],
  { tree, limit }: NewestOptions,
): Promise<readonly FileEntry[]> {
  const times = await timesOf(paths, tree);
  using readable = new ReadablePaths(tree);
  const entries: FileEntry[] = [];
  for (const index of newestFirst({ paths, times }, limit)) {
    const entry = foundEntry(readable, paths[index] as string);
    if (entry !== undefined) entries.push(entry);
    if (entries.length === limit) break;
  }
  return entries;
}

async function timesOf(paths: readonly string[], { grant }: SearchedTree): Promise<Float64Array> {
  const breath = breaths(grant.abortSignal);
  const times = new Float64Array(paths.length);
  for (const [index, path] of paths.entries()) {
    times[index] = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY;
    if (index % IN_ONE_GO === 0) await breath.taken();
  }
  return times;
}

const IN_ONE_GO = 100;

interface TimedPaths {
  readonly paths: readonly string[];
  readonly times: Float64Array;
}

/** Puts as many in order as are wanted, and the others only if some of these turn out not to be there. */
function* newestFirst({ paths, times }: TimedPaths, wanted: number): Generator<number> {
  const oldest =
    wanted < times.length ? (times.toSorted()[times.length - wanted] as number) : Number.NEGATIVE_INFINITY;
  const timeOf = (index: number) => times[index] as number;
  const inOrder = (indices: readonly number[]) =>
    indices.toSorted(
      (one, other) =>
        timeOf(other) - timeOf(one) || ((paths[one] as string) < (paths[other] as string) ? -1 : 1),
    );
  const all = [...times.keys()];
  yield* inOrder(all.filter((index) => timeOf(index) >= oldest));
  yield* inOrder(all.filter((index) => timeOf(index) < oldest));
}
