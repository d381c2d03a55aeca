import { type FileEntry, type Grant, type ListQuery, ToolFailure } from "@toolkeep/core";
import { delimited } from "./delimited.ts";
import type { FileBounds } from "./file-bounds.ts";
import { foundEntry } from "./found-entry.ts";
import { newestEntries } from "./newest-entries.ts";
import { ReadablePaths } from "./readable-paths.ts";
import { relativeGlob } from "./relative-glob.ts";
import { ripgrep } from "./ripgrep.ts";
import { isWanted, type SearchedTree, searchedRoot, walkArguments } from "./searched-tree.ts";
import { walkTree } from "./walk-tree.ts";

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

/** What ripgrep comes by, as it comes by it. Whether it is really there must still be looked at. */
async function* pathsIn(tree: SearchedTree): AsyncGenerator<readonly string[]> {
  const { grant, bounds } = tree;
  const argv = ["--files", "--null", ...walkArguments(tree)];
  const output = ripgrep({ argv, abortSignal: grant.abortSignal, program: bounds.ripgrepPath });
  for await (const paths of delimited(output, { delimiter: NUL, longest: LONGEST_PATH }))
    yield paths.map((bytes) => bytes.toString()).filter((path) => isWanted(path, tree));
}

async function everyPath(tree: SearchedTree): Promise<readonly string[]> {
  const most = tree.bounds.sortedEntries;
  const walked = await walkTree(tree, { files: most, entries: Number.POSITIVE_INFINITY });
  if (walked === "too many") throw tooMany(most);
  if (walked !== "unclear")
    return walked.flatMap(({ path, names }) => names.map((name) => `${path}/${name}`));
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
