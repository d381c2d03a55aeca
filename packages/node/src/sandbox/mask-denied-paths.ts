import type { PathDenies } from "@toolkeep/core/policy";
import type { SandboxProfile } from "@toolkeep/core/ports";
import { isBeneath, isWithin } from "../files/path-within.ts";
import type { CommandProfile } from "../processes/command-parts.ts";
import type { DeniedPath } from "./denied-folder.ts";
import { deniedNote } from "./denied-note.ts";
import { createdDespiteDeny, deniedPaths, mayNotBeMade } from "./denied-paths.ts";
import { searchedPaths } from "./searched-paths.ts";

/**
 * The same with what the rules deny: what may not be read is hidden, what may not be changed is read-only, and what
 * is made under a denied name is found when the command is over.
 * @throws ToolFailure `unavailable` where there is more than can be masked.
 */
export async function withDenies(profile: SandboxProfile, denies: PathDenies): Promise<CommandProfile> {
  const { read, write, guarded, hidden, cwd } = profile;
  const denied = await deniedPaths(searchedPaths(profile), denies);
  const mounted = denied.filter(({ link }) => link === undefined);
  const pathsAs = (as: DeniedPath["as"]) => mounted.filter((one) => one.as === as).map(({ path }) => path);
  const unchanged = new Set(pathsAs("guarded"));
  const isFixed = (path: string) => [...unchanged].some((held) => isWithin(path, held));
  // A root, or a folder that a tool requires, would be opened again on top of the mask around it.
  const masked = [...new Set(pathsAs("hidden"))];
  const isOpen = (path: string) => !masked.some((held) => isBeneath(path, held));
  // What is read-only as a whole need not be guarded beneath itself.
  const changed = write.filter((path) => !isFixed(path) && isOpen(path));
  const effective = changed.length === 0 ? denied.filter(({ as }) => as === "hidden") : denied;
  const note = deniedNote(effective, cwd);
  return {
    ...profile,
    read: [...read, ...write.filter(isFixed)].filter(isOpen),
    write: changed,
    guarded: [...guarded, ...unchanged],
    hidden: [...hidden, ...masked],
    kept: pathsAs("kept"),
    ...(note === undefined ? {} : { note }),
    createdDespiteDeny: async (found) => [
      ...(await createdDespiteDeny(denied, changed, denies)),
      ...found.filter((path) => mayNotBeMade(path, denies)),
    ],
  };
}
