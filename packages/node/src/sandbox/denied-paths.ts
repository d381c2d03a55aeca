import { lstatSync } from "node:fs";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import { type PathDenies, ToolFailure } from "@toolkeep/core";
import { isBeneath } from "./beneath.ts";
import {
  type DeniedFolder,
  type DeniedLook,
  type DeniedPath,
  deniedEntry,
  lookForDenied,
} from "./denied-folder.ts";

/** Folders that are looked into, all together, as for protected names. */
const MOST_FOLDERS = 100_000;
const SLICE_MS = 2;
/** Each is a mount, and a folder around it often another. */
const MOST_DENIED = 400;
/** Files that are kept one by one, before the folder around them is read-only as a whole. */
const MOST_KEPT = 100;

/**
 * What the rules deny of what is there in some places.
 * @throws ToolFailure `unavailable` where there is more than can be masked: no command runs with less.
 */
export async function deniedPaths(
  places: readonly string[],
  denies: PathDenies,
): Promise<readonly DeniedPath[]> {
  const denied = withoutManyKept(await lookBeneath(places, denies, MOST_FOLDERS));
  const mounted = denied.filter(({ link }) => link === undefined);
  if (mounted.length > MOST_DENIED) throw tooManyDenied(mounted);
  return denied;
}

/** What is there now, may not be made, and was not there before. */
export async function madeDespite(
  before: readonly DeniedPath[],
  places: readonly string[],
  denies: PathDenies,
): Promise<readonly string[]> {
  const known = new Map(before.map(({ path, link }) => [path, link]));
  // However many folders there are by now: what is not looked at would stay.
  const after = await lookBeneath(places, denies, Number.POSITIVE_INFINITY);
  return after
    .filter(({ path, link }) => !known.has(path) || known.get(path) !== link)
    .filter(({ path }) => mayNotBeMade(path, denies))
    .map(({ path }) => path);
}

export function mayNotBeMade(path: string, denies: PathDenies): boolean {
  return denies.at(path)?.write !== undefined;
}

async function lookBeneath(
  places: readonly string[],
  denies: PathDenies,
  mostFolders: number,
): Promise<readonly DeniedPath[]> {
  const denied: DeniedPath[] = [];
  const waiting: DeniedLook[] = [];
  const add = (found: DeniedFolder) => {
    for (const one of found.denied) denied.push(one);
    for (const one of found.next) waiting.push(one);
  };
  for (const path of places) {
    const entry = lstatSync(path, { throwIfNoEntry: false });
    if (entry !== undefined) add(deniedEntry({ path, entry, isGuarded: false }, denies));
  }
  let seen = 0;
  let until = performance.now() + SLICE_MS;
  for (let look = waiting.pop(); look !== undefined; look = waiting.pop()) {
    seen += 1;
    if (seen > mostFolders) throw tooManyFolders(places);
    try {
      add(lookForDenied(look, denies));
    } catch {
      add(await lookAgain(look, denies));
    }
    if (performance.now() < until) continue;
    await nextTurn();
    until = performance.now() + SLICE_MS;
  }
  return denied;
}

const PAUSE_MS = 20;
const MOST_PAUSES = 100;

/** The machine may have too many files open for a while. */
async function lookAgain(look: DeniedLook, denies: PathDenies): Promise<DeniedFolder> {
  for (let pauses = 1; ; pauses += 1) {
    await wait(PAUSE_MS);
    try {
      return lookForDenied(look, denies);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
      if (pauses === MOST_PAUSES)
        throw new ToolFailure(
          "unavailable",
          `${look.path} cannot be searched for what policy rules deny: ${code}.`,
        );
    }
  }
}

/** There is no mount for a folder that is written to and loses nothing; where it has many files, it is read-only. */
function withoutManyKept(denied: readonly DeniedPath[]): readonly DeniedPath[] {
  const kept = denied.filter(({ as }) => as === "kept");
  if (kept.length <= MOST_KEPT) return denied;
  const trees = kept.filter(({ isTree }) => isTree);
  const tops = trees.filter(({ path }) => !trees.some((other) => isBeneath(path, other.path)));
  const isInTop = ({ path }: DeniedPath) =>
    tops.some((top) => top.path === path || isBeneath(path, top.path));
  return [
    ...denied.filter((one) => one.as !== "kept" || !isInTop(one)),
    ...tops.map((top): DeniedPath => ({ ...top, as: "guarded" })),
  ];
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

function tooManyFolders(places: readonly string[]): ToolFailure {
  return new ToolFailure(
    "unavailable",
    `There are more than ${MOST_FOLDERS} folders beneath ${places.join(", ")}: too many to look for what policy rules deny.`,
    {
      hint: "Begin the patterns of denies with a folder, such as {workspace}/data/**, or work in a smaller folder.",
    },
  );
}
