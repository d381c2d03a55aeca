import { lstatSync } from "node:fs";
import { ToolFailure } from "@toolkeep/core";
import { fsRead } from "@toolkeep/core/internal";
import type { Grant } from "@toolkeep/core/ports";
import { canonicalPath } from "./canonical-path.ts";
import type { FileBounds } from "./file-bounds.ts";
import { errorCode } from "./file-failure.ts";
import { GONE } from "./gone-entries.ts";
import { holdFolder, type PinnedFolder } from "./pinned-folder.ts";
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

/** Where a list or a search starts, if the call may read all that is beneath it. */
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

/** Whether a path that ripgrep reports is wanted. Names with a dot are dropped once more: a type brings them back. */
export function isWanted(path: string, { root, isFolder, glob, hidden, all }: SearchedTree): boolean {
  if (!isFolder) return path === root && glob.matches(path.slice(path.lastIndexOf("/") + 1));
  const start = root === "/" ? "/" : `${root}/`;
  if (!path.startsWith(start)) return false;
  const relative = path.slice(start.length);
  return glob.matches(relative) && (all || !(hidden ? GIT : HIDDEN).test(relative));
}

const MOST_HELD = 32;
/** To a grant, a name with one of these is a pattern for other names: each is checked. */
const WILD = /[*?{}[\]\\]/;

/** Whether an error means only that an entry is not available. */
export function isGone(error: unknown): boolean {
  return GONE.has(ToolFailure.isInstance(error) ? error.code : (errorCode(error) ?? ""));
}

/** Every refusal is recorded; a search that is refused more often than this fails. */
const MOST_REFUSALS = 8;

/** The paths that ripgrep reports, checked against the grant and against the folders as they really are. */
export class ReadablePaths implements Disposable {
  readonly #grant: Grant;
  /** Whether the call may read a whole tree, not one file alone. */
  readonly #isTree: boolean;
  readonly #held = new Map<string, PinnedFolder>();
  #refusals = 0;

  constructor({ grant, isFolder }: Pick<SearchedTree, "grant" | "isFolder">) {
    this.#grant = grant;
    this.#isTree = isFolder;
  }

  /**
   * The result of `look` for the entry in the folder at its path; `undefined` if the call may not read it, if rules
   * exclude it, or if it does not exist: a folder that was swapped for a link shows nothing of its target. Synchronous:
   * the system has just read the entry, and answers from memory.
   */
  look<Seen>(path: string, look: (folder: PinnedFolder, name: string) => Seen): Seen | undefined {
    const end = path.lastIndexOf("/");
    const isCovered = this.#isTree && !WILD.test(path);
    if (this.#grant.leavesOut?.(path) === true) return undefined;
    if (!isCovered && !this.#mayRead(path)) return undefined;
    try {
      return look(this.#folder(path.slice(0, end) || "/"), path.slice(end + 1));
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
  }

  [Symbol.dispose](): void {
    for (const folder of this.#held.values()) folder[Symbol.dispose]();
    this.#held.clear();
  }

  #mayRead(path: string): boolean {
    try {
      this.#grant.check(fsRead(path));
      return true;
    } catch (error) {
      if (!ToolFailure.isInstance(error) || error.code !== "out_of_scope") throw error;
      this.#refusals += 1;
      if (this.#refusals > MOST_REFUSALS) throw error;
      return false;
    }
  }

  /** The grant is asked once about all that is in a folder: that covers every name that is no pattern. */
  #folder(path: string): PinnedFolder {
    const held = this.#held.get(path);
    if (held !== undefined) return held;
    if (this.#isTree && !WILD.test(path)) this.#grant.check(fsRead(`${path === "/" ? "" : path}/**`));
    const folder = holdFolder(path);
    const [oldest] = this.#held.keys();
    if (this.#held.size >= MOST_HELD && oldest !== undefined) {
      this.#held.get(oldest)?.[Symbol.dispose]();
      this.#held.delete(oldest);
    }
    this.#held.set(path, folder);
    return folder;
  }
}
