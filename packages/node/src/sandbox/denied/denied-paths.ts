import { lstatSync } from "node:fs";
import { ToolFailure } from "@toolkeep/core";
import { isBeneath, isWithin } from "@toolkeep/core/internal";
import type { PathDenies } from "@toolkeep/core/policy";
import type { SandboxProfile } from "@toolkeep/core/ports";
import { errorCode } from "../../files/file-failure.ts";
import type { CommandProfile } from "../../processes/command-parts.ts";
import { searchedPaths } from "../scan/scan.ts";
import { MOST_FOLDERS, walkFolders } from "../scan/walk-folders.ts";
import { deniedNote } from "./denied-note.ts";
import { type DeniedFolder, type DeniedPath, deniedEntry, lookForDenied } from "./look-for-denied.ts";

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
    isDeniedToRead: (path) => denies.at(path)?.read !== undefined,
    createdDespiteDeny: async (found) => [
      ...(await createdDespiteDeny(denied, changed, denies)),
      ...found.filter((path) => mayNotBeMade(path, denies)),
    ],
  };
}

/** Each is a mount, and a folder around it often another. */
const MOST_DENIED = 400;

/** What the rules deny in some folders. @throws ToolFailure `unavailable` if it is too much to be masked. */
export async function deniedPaths(
  directories: readonly string[],
  denies: PathDenies,
): Promise<readonly DeniedPath[]> {
  const denied = await lookBeneath(directories, denies, MOST_FOLDERS);
  const mounted = denied.filter(({ link }) => link === undefined);
  if (mounted.length > MOST_DENIED) throw tooManyDenied(mounted);
  return denied;
}

/** What is there now, may not be made, and was not there before. */
export async function createdDespiteDeny(
  before: readonly DeniedPath[],
  directories: readonly string[],
  denies: PathDenies,
): Promise<readonly string[]> {
  const known = new Map(before.map(({ path, link }) => [path, link]));
  // However many folders there are by now: what is not looked at would stay.
  const after = await lookBeneath(directories, denies, Number.POSITIVE_INFINITY);
  return after
    .filter(({ path, link }) => !known.has(path) || known.get(path) !== link)
    .filter(({ path }) => mayNotBeMade(path, denies))
    .map(({ path }) => path);
}

function mayNotBeMade(path: string, denies: PathDenies): boolean {
  return denies.at(path)?.write !== undefined;
}

async function lookBeneath(
  directories: readonly string[],
  denies: PathDenies,
  mostFolders: number,
): Promise<readonly DeniedPath[]> {
  const found = directories.map((path) => lookAtPlace(path, denies));
  const folders = await walkFolders(
    found.flatMap(({ next }) => next),
    {
      look: (look) => lookForDenied(look, denies),
      mostFolders,
      tooMany: () => tooManyFolders(directories),
      atError({ path }, { error }) {
        throw unsearchable(path, error);
      },
    },
  );
  return [...found, ...folders].flatMap(({ denied }) => denied);
}

function lookAtPlace(path: string, denies: PathDenies): DeniedFolder {
  try {
    const entry = lstatSync(path, { throwIfNoEntry: false });
    if (entry === undefined) return { denied: [], next: [] };
    return deniedEntry({ path, at: path, entry, isGuarded: false }, denies);
  } catch (error) {
    throw unsearchable(path, errorCode(error));
  }
}

function unsearchable(path: string, code = "unknown error"): ToolFailure {
  return new ToolFailure(
    "unavailable",
    `${path} cannot be searched for what policy rules deny: ${code}. No command runs without that.`,
  );
}

function tooManyDenied(denied: readonly DeniedPath[]): ToolFailure {
  const counts = new Map<string, number>();
  for (const { rule } of denied) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  const [rule, count] = [...counts].toSorted(([, one], [, other]) => other - one)[0] as [string, number];
  return new ToolFailure(
    "unavailable",
    `Policy rules deny ${denied.length} paths that a sandbox must mask one by one; the most is ${MOST_DENIED}. \`${rule}\` alone denies ${count}.`,
    {
      hint: "No command runs until the rule names whole folders: a pattern that ends with /**, such as deny fs.read {workspace}/data/**, is one mask for each folder.",
    },
  );
}

function tooManyFolders(directories: readonly string[]): ToolFailure {
  return new ToolFailure(
    "unavailable",
    `There are more than ${MOST_FOLDERS} folders beneath ${directories.join(", ")}: too many to look for what policy rules deny.`,
    {
      hint: "Begin the patterns of denies with a folder, such as {workspace}/data/**, or work in a smaller folder.",
    },
  );
}
