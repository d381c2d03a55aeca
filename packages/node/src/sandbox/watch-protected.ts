import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ToolFailure, type Walls } from "@toolkeep/core";
import { deepestAround, isBeneath } from "./beneath.ts";
import type { Find } from "./find.ts";
import { inFolderBeneath } from "./folder-beneath.ts";
import { keepOpenings, openSince } from "./openings.ts";
import { type QuarantinedThing, quarantine, quarantineFolder } from "./quarantine.ts";
import { survey } from "./survey.ts";

/** How protected names are looked after in the folders that a command may change. */
export interface ProtectionOptions {
  /** Folders that are looked into before and after a command; where there are more, no walls are built. */
  readonly mostFolders?: number;
  /** Where things are moved that a command made under a protected name. Absolute; the user's state where left out. */
  readonly quarantine?: string;
  /** Told of everything that was taken out of the way. */
  readonly onQuarantine?: (things: readonly QuarantinedThing[]) => void;
}

export interface ProtectedWatch {
  readonly walls: Walls;
  /** What was found before the command ran. */
  readonly before: readonly Find[];
  readonly protection: ProtectionOptions;
}

/**
 * What is there can be mounted read-only; what is not there yet cannot, without leaving something behind.
 * So whatever a command made under a protected name is taken out of the way once the command is over:
 * nothing of it is left running by then. Returns what is to be called at that time.
 * @throws ToolFailure `out_of_scope`, from what it returns, when there was something to take away.
 */
export function watchProtected(watch: ProtectedWatch): () => Promise<void> {
  const { walls, before, protection } = watch;
  const since = performance.now();
  const release = keepOpenings(walls);
  const known = new Set(before.map(knownBy));
  const named = walls.guarded.filter((path) => !isThere(path));
  const links = before
    .filter(({ type }) => type === "link")
    .map(({ path }) => [path, readlinkSync(path)] as const);
  return async () => {
    release();
    const after = await survey(walls.write, protection.mostFolders);
    const made = after.filter((find) => WATCHED.has(find.kind) && !known.has(knownBy(find)));
    const suspects = [...made.map(({ path }) => path), ...named.filter(isThere)];
    const open = [...walls.write, ...openSince(since)];
    const paths = topmost(suspects.flatMap((path) => intruders(path, open)));
    const things = await takeAway(paths, watch);
    for (const [path, target] of links) await restore(path, target, walls);
    if (things.length === 0) return;
    protection.onQuarantine?.(things.filter(isMoved));
    throw tookAway(things);
  };
}

const WATCHED: ReadonlySet<Find["kind"]> = new Set(["repository", "head", "protected", "obeyed secret"]);

/** What is mounted cannot be moved except with the folder around it; a link can, so it counts at its place alone. */
function knownBy({ path, type, identity }: Find): string {
  return type === "link" ? `${identity} ${path}` : identity;
}

/** What is open by its very path is no intruder, and neither is the folder that was made for it. */
function intruders(path: string, open: readonly string[]): readonly string[] {
  if (open.includes(path)) return [];
  const isForOpen = open.some((one) => isBeneath(one, path)) && lstatSync(path).isDirectory();
  return isForOpen ? readdirSync(path).flatMap((name) => intruders(join(path, name), open)) : [path];
}

function topmost(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].filter((path) => !paths.some((other) => isBeneath(path, other)));
}

interface UnmovedThing {
  readonly from: string;
  readonly fault: string;
}

async function takeAway(
  paths: readonly string[],
  { walls, protection: { quarantine: folder = quarantineFolder() } }: ProtectedWatch,
): Promise<readonly (QuarantinedThing | UnmovedThing)[]> {
  const things: (QuarantinedThing | UnmovedThing)[] = [];
  for (const path of paths) {
    try {
      things.push(await quarantine(path, rootOf(path, walls), folder));
    } catch (error) {
      things.push({ from: path, fault: (error as NodeJS.ErrnoException).code ?? "unknown error" });
    }
  }
  return things;
}

/** A link cannot be held in its place; if it is gone, it is put back as it was. */
async function restore(path: string, target: string, walls: Walls): Promise<void> {
  if (isThere(path)) return;
  const root = deepestAround(
    path,
    walls.write.filter((folder) => folder !== path),
  );
  if (root === undefined) return;
  // The folder around it may be gone as well, as the command was free to do.
  await inFolderBeneath(root, dirname(path), (within) => symlink(target, join(within, basename(path)))).catch(
    () => {},
  );
}

function rootOf(path: string, { write }: Walls): string {
  return (
    deepestAround(
      path,
      write.filter((folder) => folder !== path && isThere(folder)),
    ) ?? dirname(path)
  );
}

function isMoved(thing: QuarantinedThing | UnmovedThing): thing is QuarantinedThing {
  return "to" in thing;
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function tookAway(things: readonly (QuarantinedThing | UnmovedThing)[]): ToolFailure {
  const list = things.map((thing) =>
    isMoved(thing) ? `${thing.from} (now ${thing.to})` : `${thing.from} (still there: ${thing.fault})`,
  );
  return new ToolFailure(
    "out_of_scope",
    `The command ran and made what is protected, because it decides what is run: ${list.join(", ")}.`,
    { hint: "Write such a file with a tool that asks for it, or ask for this very path to be opened." },
  );
}
