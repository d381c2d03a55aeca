import { lstatSync } from "node:fs";
import { type FileEntry, type Grant, type ListQuery, ToolFailure } from "@toolkeep/core";
import { delimited } from "./delimited.ts";
import type { FileBounds } from "./file-bounds.ts";
import type { PinnedFolder } from "./pinned-folder.ts";
import { ReadablePaths } from "./readable-paths.ts";
import { relativeGlob } from "./relative-glob.ts";
import { ripgrep } from "./ripgrep.ts";
import { isWanted, type SearchedTree, searchedRoot, walkArguments } from "./searched-tree.ts";

export interface ListRequest {
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
  const { pattern, limit = Number.POSITIVE_INFINITY, newestFirst = false, all = false } = query;
  const glob = relativeGlob(pattern);
  const tree: SearchedTree = { grant, bounds, glob, all, ...(await searchedRoot(grant, query.root)) };
  if (!tree.isFolder) throw new ToolFailure("tool_failed", `${JSON.stringify(tree.root)} is not a folder.`);
  if (limit < 1) return;
  if (newestFirst) {
    yield (await sortedEntries(tree)).slice(0, limit);
    return;
  }
  let left = limit;
  for await (const entries of entriesIn(tree)) {
    yield entries.slice(0, left);
    left -= entries.length;
    if (left <= 0) return;
  }
}

const NUL = 0;
const LONGEST_PATH = 4_096;

async function* entriesIn(tree: SearchedTree): AsyncGenerator<readonly FileEntry[]> {
  const { grant, bounds } = tree;
  using readable = new ReadablePaths(grant);
  const argv = ["--files", "--null", ...walkArguments(tree)];
  const output = ripgrep({ argv, abortSignal: grant.abortSignal, program: bounds.ripgrepPath });
  for await (const paths of delimited(output, { delimiter: NUL, longest: LONGEST_PATH })) {
    const entries: FileEntry[] = [];
    for (const bytes of paths) {
      const path = bytes.toString();
      const entry = isWanted(path, tree) ? readable.look(path, entryOf) : undefined;
      if (entry !== undefined) entries.push({ path, ...entry });
    }
    yield entries;
  }
}

function entryOf(folder: PinnedFolder, name: string): Omit<FileEntry, "path"> | undefined {
  const stats = lstatSync(folder.at(name), { throwIfNoEntry: false });
  return stats?.isFile() === true ? { size: stats.size, modifiedAt: stats.mtimeMs } : undefined;
}

async function sortedEntries(tree: SearchedTree): Promise<readonly FileEntry[]> {
  const most = tree.bounds.sortedEntries;
  const all: FileEntry[] = [];
  for await (const entries of entriesIn(tree)) {
    if (all.length + entries.length > most)
      throw new ToolFailure("too_large", `There are more than ${most} files to put in order.`, {
        hint: "Begin in a smaller folder, or give a narrower pattern.",
      });
    all.push(...entries);
  }
  return all.sort((one, other) => other.modifiedAt - one.modifiedAt || (one.path < other.path ? -1 : 1));
}
