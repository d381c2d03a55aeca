import { lstatSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { ToolFailure } from "@toolkeep/core";
import type { FileEntry, Grant, ListQuery } from "@toolkeep/core/ports";
import type { FileBounds } from "./file-bounds.ts";
import { relativeGlob } from "./relative-glob.ts";
import { delimited, ripgrep } from "./ripgrep.ts";
import { isWanted, ReadablePaths, type SearchedTree, searchedRoot, walkArguments } from "./searched-tree.ts";

interface ListRequest {
  readonly grant: Grant;
  readonly query: ListQuery;
  readonly bounds: FileBounds;
}

/** The regular files beneath a folder whose paths match, several at a time. Links are not followed, and are no files. */
export async function* listFiles({
  grant,
  query,
  bounds,
}: ListRequest): AsyncGenerator<readonly FileEntry[]> {
  const {
    pattern,
    limit = Number.POSITIVE_INFINITY,
    newestFirst = false,
    hidden = false,
    all = false,
  } = query;
  const glob = relativeGlob(pattern);
  const root = await searchedRoot(grant, query.root);
  const tree: SearchedTree = { grant, bounds, glob, hidden, all, ...root };
  if (!tree.isFolder) throw new ToolFailure("tool_failed", `${JSON.stringify(tree.root)} is not a folder.`);
  if (limit < 1) return;
  if (newestFirst) {
    yield await newestEntries(await everyPath(tree), { tree, limit });
    return;
  }
  let left = limit;
  using readable = new ReadablePaths(tree);
  for await (const paths of pathsIn(tree)) {
    const entries = paths.flatMap((path) => foundEntry(readable, path) ?? []);
    yield entries.slice(0, left);
    left -= entries.length;
    if (left <= 0) return;
  }
}

const NUL = 0;
const LONGEST_PATH = 4_096;

/** The paths that ripgrep reports, as they arrive. Whether they really exist must still be verified. */
async function* pathsIn(tree: SearchedTree): AsyncGenerator<readonly string[]> {
  const { grant, bounds } = tree;
  const argv = ["--files", "--null", ...walkArguments(tree)];
  const output = ripgrep({ argv, abortSignal: grant.abortSignal, program: bounds.ripgrepPath });
  for await (const paths of delimited(output, { delimiter: NUL, longest: LONGEST_PATH }))
    yield paths.map((bytes) => bytes.toString()).filter((path) => isWanted(path, tree));
}

async function everyPath(tree: SearchedTree): Promise<readonly string[]> {
  const most = tree.bounds.sortedEntries;
  const all: string[] = [];
  for await (const paths of pathsIn(tree)) {
    for (const path of paths) all.push(path);
    if (all.length > most) throw tooMany(most);
  }
  return all;
}

function tooMany(most: number): ToolFailure {
  return new ToolFailure("too_large", `There are more than ${most} files to put in order.`, {
    hint: "Begin in a smaller folder, or give a narrower pattern.",
  });
}

/**
 * The files that were changed last, in that order. The order is by paths, and a process that swaps folders can distort
 * it; whether a file is shown, and its size and time, are read in the held folder.
 */
async function newestEntries(
  paths: readonly string[],
  { tree, limit }: { readonly tree: SearchedTree; readonly limit: number },
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
  const times = new Float64Array(paths.length);
  for (const [index, path] of paths.entries()) {
    times[index] = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY;
    if (index % FILES_BETWEEN_YIELDS !== 0) continue;
    await setImmediate();
    grant.abortSignal.throwIfAborted();
  }
  return times;
}

/** Reading the times is synchronous; other work of the process runs in between. */
const FILES_BETWEEN_YIELDS = 1_000;

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

/** The size and time of a regular file; `undefined` for anything else, or what the call may not see. */
function foundEntry(readable: ReadablePaths, path: string): FileEntry | undefined {
  return readable.look(path, (folder, name) => {
    const stats = lstatSync(folder.at(name), { throwIfNoEntry: false });
    return stats?.isFile() === true ? { path, size: stats.size, modifiedAt: stats.mtimeMs } : undefined;
  });
}
