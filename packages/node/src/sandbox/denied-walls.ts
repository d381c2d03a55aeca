import type { PathDenies, Walls } from "@toolkeep/core";
import { isBeneath, isWithin } from "./beneath.ts";
import { type DeniedPath, mayBePassedOver } from "./denied-folder.ts";
import { deniedNote } from "./denied-note.ts";
import { deniedPaths, madeDespite, mayNotBeMade } from "./denied-paths.ts";

/**
 * The same with what the rules deny: what may not be read is hidden, what may not be changed is read-only, and what
 * is made under a denied name is found when the command is over.
 * @throws ToolFailure `unavailable` where there is more than can be masked.
 */
export async function withDenies(walls: Walls, denies: PathDenies, roots: readonly string[]): Promise<Walls> {
  const { read, write, guarded, hidden, cwd } = walls;
  const denied = await deniedPaths(walkedPlaces(walls, roots, denies), denies);
  const mounted = denied.filter(({ link }) => link === undefined);
  const pathsAs = (as: DeniedPath["as"]) => mounted.filter((one) => one.as === as).map(({ path }) => path);
  const unchanged = new Set(pathsAs("guarded"));
  const isFixed = (path: string) => [...unchanged].some((held) => isWithin(path, held));
  // A root, or a folder that a tool requires, would be opened again on top of the mask around it.
  const masked = pathsAs("hidden");
  const isOpen = (path: string) => !masked.some((held) => isBeneath(path, held));
  // What is read-only as a whole need not be guarded beneath itself.
  const changed = write.filter((path) => !isFixed(path) && isOpen(path));
  const effective = changed.length === 0 ? denied.filter(({ as }) => as === "hidden") : denied;
  const note = deniedNote(effective, cwd);
  return {
    ...walls,
    read: [...read, ...write.filter(isFixed)].filter(isOpen),
    write: changed,
    guarded: [...guarded, ...unchanged],
    hidden: [...hidden, ...masked],
    kept: pathsAs("kept"),
    ...(note === undefined ? {} : { note }),
    madeDespiteDenies: async (found) => [
      ...(await madeDespite(denied, changed, denies)),
      ...found.filter((path) => mayNotBeMade(path, denies)),
    ],
  };
}

/** Not the programs of the system, which are open to everybody; but a workspace may lie among them. */
function walkedPlaces(
  { read, write }: Walls,
  roots: readonly string[],
  denies: PathDenies,
): readonly string[] {
  const isOurs = (path: string) =>
    !isWithin(path, "/usr") || [...roots, ...write].some((root) => isWithin(path, root));
  const paths = [...new Set([...read, ...write])].filter(isOurs);
  const isPassed = (path: string, other: string) =>
    isBeneath(path, other) && !mayBePassedOver(path, other, denies);
  return paths.filter((path) => !paths.some((other) => isPassed(path, other)));
}
