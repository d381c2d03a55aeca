import { join, resolve } from "node:path";
import type { Effect } from "@toolkeep/core";
import { joinCommand } from "@toolkeep/core/internal";
import type { LineOnDisk, ProtectedPaths } from "@toolkeep/core/ports";
import { canonicalPath } from "../../../files/canonical-path.ts";
import { kindAt, textAt } from "../../../files/entries.ts";
import { repositoryAt } from "../../../git/git-repository.ts";
import { foldersOf } from "../names/moved-folder.ts";

/**
 * `git checkout NAME`, `git switch NAME` and `git merge NAME` where the disk says that NAME is a local branch and no file:
 * what they do to files, as `git switch --no-guess NAME`, and for a merge a commit. Git refuses these where changes
 * would be lost.
 */
export async function localBranches(
  { commands, folder = "/" }: LineOnDisk,
  { roots }: Pick<ProtectedPaths, "roots">,
): Promise<readonly Effect[]> {
  // A `cd` may fail, so the name must be a branch wherever the line may be.
  const start = await canonicalPath(folder);
  const folders = [start, ...(await foldersOf(commands, start))];
  return commands.flatMap(({ argv, expands = [] }): readonly Effect[] => {
    const meant = expands.length === 0 ? branchNamed(argv) : undefined;
    if (meant === undefined || !folders.every((one) => isBranch(meant.name, one, roots))) return [];
    const switching = joinCommand(["git", "switch", "--no-guess", meant.name]);
    return [
      { capability: "shell.run", target: switching, known: "inferred" },
      ...(meant.isMerge ? [{ capability: "git.commit", target: "*", known: "inferred" as const }] : []),
    ];
  });
}

const NAME = /^(?!.*(?:\.\.|\/\/|@\{|\.lock(?:\/|$)|\/\.))[A-Za-z0-9_][\w./#+-]*(?<![./])$/;

function branchNamed([program, subcommand = "", ...rest]: readonly string[]) {
  const [name = "", ...more] = rest.filter((word) => word !== "-q" && word !== "--quiet");
  if (program !== "git" || more.length > 0 || !NAME.test(name)) return undefined;
  if (!/^(?:checkout|switch|merge)$/.test(subcommand)) return undefined;
  return { name, isMerge: subcommand === "merge" };
}

function isBranch(name: string, folder: string, roots: readonly string[]): boolean {
  const repository = repositoryAt(folder, roots);
  if (repository?.isOwn !== true || kindAt(resolve(folder, name)) !== undefined) return false;
  const { store } = repository;
  const shared = resolve(store, (textAt(join(store, "commondir")) ?? ".").trim());
  if (isOtherRef(name, store, shared)) return false;
  const isLoose = kindAt(join(shared, "refs/heads", name)) === "file";
  return isLoose || isPacked(`refs/heads/${name}`, shared);
}

/** Git takes `NAME` for these before it takes it for a branch. */
function isOtherRef(name: string, store: string, shared: string): boolean {
  return (
    [join(store, name), join(shared, name), join(shared, "refs", name), join(shared, "refs/tags", name)].some(
      (path) => kindAt(path) === "file",
    ) || isPacked(`refs/tags/${name}`, shared)
  );
}

function isPacked(ref: string, shared: string): boolean {
  const lines = (textAt(join(shared, "packed-refs")) ?? "").split("\n");
  return lines.some((line) => /^[0-9a-f]{40,64} /.test(line) && line.slice(line.indexOf(" ") + 1) === ref);
}
