import { readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import { isBeneath, isWithin, unlessThrown } from "@toolkeep/core/internal";
import type { SandboxProfile } from "@toolkeep/core/ports";
import { type Find, type FindKind, isSecretKind } from "../scan/find.ts";

/** One mount, on top of those before it. */
export interface Mount {
  readonly path: string;
  /** `pinned`: it can be changed within, and cannot be moved away. `cache`: writable, and not the folder that is there. */
  readonly as:
    | "readable"
    | "writable"
    | "pinned"
    | "guarded"
    | "hidden file"
    | "hidden folder"
    | "copied"
    | "cache";
  /** What is mounted there instead of what is at the path. */
  readonly source?: string;
  /** Whether the source is a file system of its own. */
  readonly isLayer?: true;
}

/** Covers a hidden file. A watcher of the file sees each write of the machine to the device, and this one has no writers. */
export const HIDING_DEVICE = "/dev/full";

/** The mounts, deeper paths later: what profile and scan guard and hide, unless the profile opens it by its own path. */
export function mountPlan(
  profile: SandboxProfile,
  finds: readonly Find[],
  caches: readonly Mount[] = [],
): readonly Mount[] {
  const mounts = [
    ...[...(profile.programs ?? []), ...profile.read]
      // What can be changed can be read.
      .filter((path) => !profile.write.includes(path) && exists(path))
      .map((path): Mount => ({ path, as: "readable" })),
    ...profile.write.filter(exists).map((path): Mount => ({ path, as: "writable" })),
    ...guards(profile, finds),
    ...covers(profile, finds),
  ];
  const planned = [...mounts, ...pins(mounts, profile, finds), ...caches];
  return withoutIdle(planned.toSorted((one, other) => depthOf(one.path) - depthOf(other.path)));
}

/**
 * Every folder around something that is mounted: it could be moved with its folder, to where it is not protected or
 * where something else is expected. A folder that is a mount point cannot be moved.
 */
function pins(mounts: readonly Mount[], { write }: SandboxProfile, finds: readonly Find[]): readonly Mount[] {
  const taken = new Set(mounts.map(({ path }) => path));
  const isHeld = ({ kind, shown }: Find) => kind !== "order" && shown !== "open";
  const found = finds.filter(isHeld).map(({ path }) => path);
  // What is open by its own name may go, with a folder around it that is open by its own name.
  const isFree = (path: string) => write.includes(path) && write.includes(dirname(path));
  const held = [...taken, ...found].filter((path) => !isFree(path));
  const folders = new Set<string>();
  for (const path of held) {
    for (let at = dirname(path); !folders.has(at); at = dirname(at)) {
      if (!write.some((folder) => isBeneath(at, folder))) break;
      folders.add(at);
    }
  }
  return [...folders].filter((path) => !taken.has(path)).map((path): Mount => ({ path, as: "pinned" }));
}

function guards(profile: SandboxProfile, finds: readonly Find[]): readonly Mount[] {
  const isIn = (path: string) => profile.write.some((folder) => isBeneath(path, folder));
  const found = finds.filter(({ path, kind, type, shown }) => {
    // Read-only means nothing to a socket.
    if (type === "other") return false;
    // A secret that is shown because it was asked for is not there to be changed.
    const isShown = shown === "read-only" || (shown === undefined && profile.read.includes(path));
    const isGuarded = isSecretKind(kind) ? isShown : GUARDED.has(kind);
    return isGuarded && isIn(path) && !profile.write.includes(path);
  });
  const isPinned = ({ kind, type }: Find) => kind === "repository" && type === "folder";
  const directories = [
    ...profile.guarded.filter((path) => isIn(path) && exists(path)),
    ...found
      .filter((find) => !isPinned(find))
      .flatMap(placeOf)
      .filter(isIn),
  ];
  const kept = (profile.kept ?? []).filter((path) => isIn(path) && exists(path));
  return [
    ...found.filter(isPinned).map(({ path }): Mount => ({ path, as: "pinned" })),
    ...kept.map((path): Mount => ({ path, as: "pinned" })),
    ...directories.flatMap((path) => guardOf(path, profile.write)),
  ];
}

const GUARDED: ReadonlySet<FindKind> = new Set(["repository", "protected"]);

/**
 * A folder that contains something open cannot be read-only: a file is often changed by replacing it. Then whatever
 * else is in it is read-only.
 */
function guardOf(path: string, write: readonly string[]): readonly Mount[] {
  const isOpened = write.some((open) => isBeneath(open, path)) && statsOf(path)?.isDirectory() === true;
  if (!isOpened) return [{ path, as: "guarded" }];
  const inside = readdirSync(path).map((name) => join(path, name));
  return [
    { path, as: "pinned" },
    ...inside.filter((entry) => !write.includes(entry)).flatMap((entry) => guardOf(entry, write)),
  ];
}

function covers(profile: SandboxProfile, finds: readonly Find[]): readonly Mount[] {
  const isOpen = (path: string) => profile.read.includes(path) || profile.write.includes(path);
  const seen = [...profile.read, ...profile.write, ...(profile.programs ?? [])];
  const isIn = (path: string) => seen.some((folder) => isWithin(path, folder));
  const isCovered = ({ kind, type, shown }: Find) =>
    (isSecretKind(kind) ? shown === undefined : COVERED.has(kind)) || type === "other";
  const found = finds.filter((find) => isCovered(find) && !isOpen(find.path));
  const copied = found.flatMap(({ path, copy }): readonly Mount[] =>
    copy === undefined || !isIn(path) ? [] : [{ path, as: "copied", source: copy }],
  );
  const covered = found.filter(({ copy }) => copy === undefined).flatMap(placeOf);
  const hidden = [...profile.hidden, ...covered].flatMap((path): readonly Mount[] => {
    const stats = statsOf(path);
    if (stats === undefined || !isIn(path)) return [];
    return [{ path, as: stats.isDirectory() ? "hidden folder" : "hidden file" }];
  });
  return [...copied, ...hidden];
}

/** The content of a folder that could not be read is unknown. */
const COVERED: ReadonlySet<FindKind> = new Set(["unseen", "socket"]);

/** A link cannot be a mount point; its target can, if it can be reached at all. */
function placeOf({ path, type }: Find): readonly string[] {
  if (type !== "link") return [path];
  return unlessThrown(() => [realpathSync.native(path)]) ?? [];
}

/** Drops mounts that would change nothing of the mounts beneath them. */
function withoutIdle(mounts: readonly Mount[]): readonly Mount[] {
  const kept: Mount[] = [];
  const latest = new Map<string, Mount>();
  for (const mount of mounts) {
    const around = nearest(mount.path, latest);
    if (around !== undefined && IDLE[around.as].has(mount.as)) continue;
    kept.push(mount);
    latest.set(mount.path, mount);
  }
  return kept;
}

function nearest(path: string, mounts: ReadonlyMap<string, Mount>): Mount | undefined {
  for (let at = path; ; at = dirname(at)) {
    const mount = mounts.get(at);
    if (mount !== undefined || at === "/") return mount;
  }
}

const NOTHING_MORE: ReadonlySet<Mount["as"]> = new Set([
  ...(["pinned", "guarded", "hidden file", "hidden folder", "copied"] as const),
]);

/** What has no use on top of what. */
const IDLE: Readonly<Record<Mount["as"], ReadonlySet<Mount["as"]>>> = {
  readable: new Set(["readable", "guarded", "pinned"]),
  guarded: new Set(["readable", "guarded", "pinned"]),
  writable: new Set(["readable", "writable"]),
  pinned: new Set(["readable", "writable"]),
  "hidden file": NOTHING_MORE,
  "hidden folder": NOTHING_MORE,
  copied: new Set(["readable", "guarded", "pinned"]),
  cache: new Set(),
};

function depthOf(path: string): number {
  return path.split("/").length;
}

function exists(path: string): boolean {
  return statsOf(path) !== undefined;
}

function statsOf(path: string): Stats | undefined {
  // A link to itself, or to where this process may not go.
  return unlessThrown(() => statSync(path, { throwIfNoEntry: false }));
}

/** Each takes the kernel longer than the one before. */
const MOST_MOUNTS = 1_000;

/** @throws ToolFailure `unavailable` */
export function refuseTooMany({ length }: readonly Mount[]): void {
  if (length <= MOST_MOUNTS) return;
  throw new ToolFailure(
    "unavailable",
    `The sandbox would have ${length} parts; the most is ${MOST_MOUNTS}.`,
    {
      hint: "Give the tool a smaller folder: there are too many protected names in this one. Or deny whole folders (a pattern that ends with /**) where policy rules deny many single paths.",
    },
  );
}
