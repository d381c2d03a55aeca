import { lchownSync, lutimesSync, mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SandboxProfile, SharedCache } from "@toolkeep/core/ports";
import { takeFileLock } from "../../owned-files/with-file-lock.ts";
import { closedFolder, type SandboxUser } from "../host/sandbox-user.ts";
import type { Mount } from "../mounts/mount-plan.ts";
import { canBeOverlaid, type Overlay, type OverlayPrograms, overlayArgs, overlayWorks } from "./overlays.ts";

/** What one command sees of the caches of its project. */
interface OpenCaches {
  readonly mounts: readonly Mount[];
  /** What stands before `bwrap`, so that it finds overlays mounted. */
  readonly before: readonly string[];
  /** Arguments for a `bwrap` that is started so. */
  readonly args: readonly string[];
  /** The layer is free for the next command. */
  close(): void;
}

const NO_CACHES: OpenCaches = { mounts: [], before: [], args: [], close() {} };

/** Opens the caches of a profile for one command that runs as this user. */
export type CacheOpener = (profile: SandboxProfile, user: SandboxUser | undefined) => Promise<OpenCaches>;

/**
 * Whether overlays work here is tried once. The root of a container has none: what was proven of its sandbox was proven
 * without them. Where no layer can be kept, caches are in memory.
 */
export function cacheOpener(programs: OverlayPrograms | undefined): CacheOpener {
  let works: Promise<boolean> | undefined;
  return async ({ caches, write }, user) => {
    if (caches === undefined || write.length === 0) return NO_CACHES;
    const layer = takeLayer(caches.folder, user);
    if (layer === undefined) return NO_CACHES;
    if (programs !== undefined && user?.uid !== 0)
      works ??= overlayWorks(layer.folders("tried"), programs, user);
    const isOverlaid = (await works) === true;
    const opened = caches.parts.map((cache) => openCache(cache, layer, isOverlaid));
    const mounts = opened.flatMap((one) => one.mounts);
    const overlays = opened.flatMap(({ overlay }) => overlay ?? []);
    if (programs === undefined || overlays.length === 0) return { ...NO_CACHES, mounts, close: layer.close };
    // Within the namespace of the overlays the user is its root, and must not be in the sandbox.
    const { uid, gid } = user ?? { uid: process.getuid?.(), gid: process.getgid?.() };
    const args = ["--uid", `${uid}`, "--gid", `${gid}`];
    return { mounts, before: overlayArgs(overlays, programs), args, close: layer.close };
  };
}

/** Where the commands of a project write, for one of them at a time: two overlays must not write to the same folder. */
interface Layer {
  /** Those of one cache, made if they are not there. */
  folders(name: string): Omit<Overlay, "below">;
  close(): void;
}

const MOST_LAYERS = 64;

function takeLayer(folder: string, user: SandboxUser | undefined): Layer | undefined {
  // Root's commands run as another user and must get through.
  const mode = user === undefined ? 0o700 : 0o711;
  const make = (path: string) => {
    mkdirSync(dirname(path), { recursive: true, mode });
    const isMade = mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined;
    if (isMade && user !== undefined) lchownSync(path, user.uid, user.gid);
    return path;
  };
  try {
    mkdirSync(folder, { recursive: true, mode });
    if (user !== undefined && closedFolder(join(folder, "0"), user) !== undefined) return undefined;
    for (let number = 0; number < MOST_LAYERS; number += 1) {
      const lock = join(folder, `${number}.lock`);
      const held = takeFileLock(lock);
      if (held === undefined) continue;
      lutimesSync(lock, new Date(), new Date());
      const own = (name: string, part: string) => make(join(folder, `${number}`, name, part));
      return {
        folders: (name) => ({ upper: own(name, "upper"), work: own(name, "work"), seen: own(name, "seen") }),
        close: () => held.close(),
      };
    }
  } catch {
    // The folder cannot be written to.
  }
  return undefined;
}

interface OpenedCache {
  readonly mounts: readonly Mount[];
  readonly overlay?: Overlay;
}

function openCache(cache: SharedCache, layer: Layer, isOverlaid: boolean): OpenedCache {
  const { name, path, below, isPackages } = cache;
  const folders = layer.folders(name);
  const covers = coversOf(cache);
  if (below !== undefined && isOverlaid && [below, folders.upper].every(canBeOverlaid))
    return {
      mounts: [{ path, as: "cache", source: folders.seen }, ...covers],
      overlay: { ...folders, below },
    };
  if (below !== undefined && isPackages)
    return { mounts: [{ path, as: "readable", source: below }, ...covers] };
  return { mounts: [{ path, as: "cache", source: folders.upper }] };
}

function coversOf({ path, below = "", hidden }: SharedCache): readonly Mount[] {
  return hidden.flatMap((name): readonly Mount[] => {
    const stats = statSync(join(below, name), { throwIfNoEntry: false });
    if (stats === undefined) return [];
    return [{ path: join(path, name), as: stats.isDirectory() ? "hidden folder" : "hidden file" }];
  });
}
