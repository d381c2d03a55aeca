import { dirname, join, resolve } from "node:path";
import { isWithin } from "../../files/path-within.ts";
import { kindAt, realOf, textAt } from "./entries.ts";

/** The repository that git takes for a folder. */
export interface Repository {
  /** The folder that made git take it. */
  readonly top: string;
  /** Where its configuration and its hooks are. */
  readonly store: string;
  /** It is the one of the workspace, or git itself put it beneath that. */
  readonly isOwn: boolean;
}

/** The first one on the way up, as git looks for it; `undefined` where there is none. */
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
