import { readFileSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { isWithin } from "@toolkeep/core/internal";
import { isProgram, kindAt, realOf, textAt } from "../files/entries.ts";
import { readGitIndex } from "./git-index.ts";
import { HOOKS } from "./hook-names.ts";

/** The repository that git takes for a folder. */
export interface Repository {
  /** The folder that made git take it. */
  readonly top: string;
  /** Where its configuration and its hooks are. */
  readonly store: string;
  /** It is the one of the workspace, or git itself put it beneath that. */
  readonly isOwn: boolean;
}

/** The first one on the way up, as git searches for it; `undefined` if there is none. */
export function repositoryAt(folder: string, roots: readonly string[]): Repository | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const git = join(at, ".git");
    if (kindAt(git) !== undefined) return withStore(at, storeAt(git), roots);
    if (isBare(at)) return { top: at, store: at, isOwn: false };
    if (at === dirname(at)) return undefined;
  }
}

/** What git takes for a repository without a `.git`: any folder with these in it. */
function isBare(folder: string): boolean {
  return ["HEAD", "objects", "refs"].every((name) => kindAt(join(folder, name)) !== undefined);
}

function withStore(top: string, store: string, roots: readonly string[]): Repository {
  const isAbove = roots.some((root) => isWithin(root, top));
  return { top, store, isOwn: isAbove || isKeptBy(store, roots) };
}

/** A submodule or a worktree, whose store git itself keeps in that of the workspace. */
function isKeptBy(store: string, roots: readonly string[]): boolean {
  return roots.some((root) => {
    const own = storeAt(join(root, ".git"));
    return ["modules", "worktrees"].some(
      (name) => isWithin(store, join(own, name)) && store !== join(own, name),
    );
  });
}

/** A `.git` that is a file names the store. */
function storeAt(git: string): string {
  const named = kindAt(git) === "file" ? /^gitdir: (.+)/.exec(textAt(git) ?? "")?.[1] : undefined;
  return realOf(named === undefined ? git : resolve(dirname(git), named.trim()));
}

/**
 * The hooks of the project that a git command runs: those beneath the roots, or in the store that a worktree shares.
 * Hooks that the user keeps elsewhere for all repositories are the user's own programs.
 */
export function hooksRun(
  subcommand: string,
  { top, store }: Repository,
  { roots, home }: { readonly roots: readonly string[]; readonly home: string },
): readonly string[] {
  const names = Object.hasOwn(HOOKS, subcommand) ? (HOOKS[subcommand] ?? []) : [];
  if (names.length === 0) return [];
  const { shared, folders: all } = hookFolders({ top, store }, home);
  const folders = all.filter((folder) => [...roots, shared].some((root) => isWithin(folder, root)));
  const found = folders.flatMap((folder) =>
    [...new Set(names)].flatMap((name) => activeHook(join(folder, name))),
  );
  return [...new Set(found)];
}

/** Every folder that some configuration names, whichever of them applies in the end. */
function hookFolders({ top, store }: Pick<Repository, "top" | "store">, home: string) {
  const common = textAt(join(store, "commondir"));
  const shared = common === undefined ? store : resolve(store, common.trim());
  const files = [
    join(shared, "config"),
    join(store, "config.worktree"),
    join(home, ".gitconfig"),
    join(process.env["XDG_CONFIG_HOME"] ?? join(home, ".config"), "git/config"),
    "/etc/gitconfig",
  ];
  const named = files.flatMap((file) => hookPaths(file, home, MOST_INCLUDES));
  const folders = [
    join(shared, "hooks"),
    ...named.map((path) => (isAbsolute(path) ? path : join(top, path))),
  ];
  return { shared, folders };
}

const MOST_INCLUDES = 4;
const SETTING = /^\s*(?:\[[^\]]*\]\s*)?(hookspath|path)\s*=\s*"?([^"#;\n]+?)"?\s*(?:[#;].*)?$/gim;

function hookPaths(file: string, home: string, depth: number): readonly string[] {
  const found: string[] = [];
  for (const [, key = "", value = ""] of (textAt(file) ?? "").matchAll(SETTING)) {
    const path = value.replace(/^~(?=\/)/, home);
    if (key.toLowerCase() === "hookspath") found.push(path);
    else if (depth > 0) found.push(...hookPaths(resolve(dirname(file), path), home, depth - 1));
  }
  return found;
}

/** One that git would run. A stub of husky is replaced with the hook that it calls. */
function activeHook(path: string): readonly string[] {
  if (!isProgram(path)) return [];
  const isStub = basename(dirname(path)) === "_" && STUB.test(textAt(path) ?? "");
  if (!isStub) return [path];
  const led = join(dirname(dirname(path)), basename(path));
  return textAt(led) === undefined ? [] : [led];
}

const STUB = /^#!\/usr\/bin\/env sh\n\. "\$\(dirname "\$0"\)\/h"\s*$/;

/** What a repository tracks. */
interface TrackedFiles {
  /** Relative to the top of the repository. */
  readonly files: readonly string[];
  /** Folders that are repositories of their own to it. */
  readonly repositories: readonly string[];
}

const NONE: TrackedFiles = Object.freeze({ files: [], repositories: [] });
const LARGEST = 64 * 1_048_576;

/**
 * Reads the index of a repository: git itself would read the repository's configuration, and run what that names.
 * `undefined` where it cannot be read, which is not the same as nothing.
 */
export function trackedFiles(index: string): TrackedFiles | undefined {
  try {
    if (statSync(index).size > LARGEST) return undefined;
    const bytes = readFileSync(index);
    const read = readGitIndex(bytes, 20) ?? readGitIndex(bytes, 32);
    if (read === undefined || read.isSplit) return undefined;
    const named = (isRepository: boolean) =>
      read.entries
        .filter((entry) => entry.isRepository === isRepository)
        .map(({ path }) => Buffer.from(path, "latin1").toString());
    return { files: named(false), repositories: named(true) };
  } catch (error) {
    return (error as { code?: string }).code === "ENOENT" ? NONE : undefined;
  }
}
