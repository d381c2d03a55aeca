import { lstatSync } from "node:fs";
import { ToolFailure } from "@toolkeep/core";
import { fsRead } from "@toolkeep/core/internal";
import type { Grant } from "@toolkeep/core/ports";
import { canonicalPath } from "./canonical-path.ts";
import type { FileBounds } from "./file-bounds.ts";
import type { RelativeGlob } from "./relative-glob.ts";

/** What a list or a search looks through. */
export interface SearchedTree {
  readonly grant: Grant;
  readonly bounds: FileBounds;
  /** A folder, or one file. Free of links. */
  readonly root: string;
  readonly isFolder: boolean;
  readonly glob: RelativeGlob;
  /** Also what is hidden, except for git's own folder. */
  readonly hidden: boolean;
  /** Also what is ignored or hidden. */
  readonly all: boolean;
}

/** Where a list or a search begins, if the call may read all that lies beneath it. */
export async function searchedRoot(
  grant: Grant,
  said: string,
): Promise<Pick<SearchedTree, "root" | "isFolder">> {
  const root = await canonicalPath(said);
  const entry = lstatSync(root, { throwIfNoEntry: false });
  const isFolder = entry === undefined || entry.isDirectory();
  grant.check(fsRead(isFolder ? `${root === "/" ? "" : root}/**` : root));
  if (entry === undefined) throw new ToolFailure("not_found", `There is no folder ${JSON.stringify(root)}.`);
  if (!isFolder && !entry.isFile())
    throw new ToolFailure("tool_failed", `${JSON.stringify(root)} is neither a folder nor a file.`);
  return { root, isFolder };
}

/** The arguments by which ripgrep leaves out early what is not looked for, and where it begins. */
export function walkArguments({ root, glob, hidden, all }: SearchedTree): readonly string[] {
  const system = root === "/" ? ["--glob=!/proc/**", "--glob=!/sys/**", "--glob=!/dev/**"] : [];
  // A type, because its globs would bring back what is ignored.
  const names = (glob.lastNames ?? []).map((name) => `--type-add=wanted:${name}`);
  return [
    ...system,
    ...(all ? ["--hidden", "--no-ignore"] : hidden ? ["--hidden", "--glob=!.git"] : []),
    ...(Number.isFinite(glob.depth) ? [`--max-depth=${glob.depth}`] : []),
    ...(names.length > 0 ? [...names, "--type=wanted"] : []),
    "--",
    root,
  ];
}

const HIDDEN = /(?:^|\/)\./;
const GIT = /(?:^|\/)\.git(?:\/|$)/;

/** Whether what ripgrep came by is looked for. Names with a dot are left out once more: a type brings them back. */
export function isWanted(path: string, { root, isFolder, glob, hidden, all }: SearchedTree): boolean {
  if (!isFolder) return path === root && glob.matches(path.slice(path.lastIndexOf("/") + 1));
  const start = root === "/" ? "/" : `${root}/`;
  if (!path.startsWith(start)) return false;
  const relative = path.slice(start.length);
  return glob.matches(relative) && (all || !(hidden ? GIT : HIDDEN).test(relative));
}
