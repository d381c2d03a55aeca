import { type Dirent, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Find, findAt } from "./find.ts";

/**
 * What decides, within the folder of a repository, what git runs and where it looks. The rest of the
 * folder is git's own record, which a command that works with git must be able to write.
 */
const DECIDING: readonly string[] = [
  "config",
  "config.worktree",
  "hooks",
  "commondir",
  "info/attributes",
  "objects/info/alternates",
  "objects/info/http-alternates",
];

const DEEPEST = 8;

/** What decides in a repository, and in those of its submodules and worktrees, which are kept within it. */
export function repositoryFinds(repository: string, depth = 0): readonly Find[] {
  const own = DECIDING.flatMap((name) => findAt(join(repository, name), "protected") ?? []);
  const inner = ["modules", "worktrees"].flatMap((name) => repositoriesIn(join(repository, name), depth + 1));
  return [...own, ...inner.flatMap((path) => repositoryFinds(path, depth + 1))];
}

/** The name of a submodule may have slashes in it, so that there are folders between. */
function repositoriesIn(folder: string, depth: number): readonly string[] {
  if (depth > DEEPEST) return [];
  return foldersIn(folder).flatMap((path) =>
    existsSync(join(path, "HEAD")) ? [path] : repositoriesIn(path, depth + 1),
  );
}

function foldersIn(path: string): readonly string[] {
  return entriesOf(path)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(path, name));
}

/** A folder that we may not read, a command of the same user may not read either. */
export function entriesOf(path: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}
