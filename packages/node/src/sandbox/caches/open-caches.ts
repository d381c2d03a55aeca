import { lchownSync, lutimesSync, mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ProjectCaches, SandboxProfile, SharedCache } from "@toolkeep/core/ports";
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
 * without them.
 */
export function cacheOpener(programs: OverlayPrograms | undefined): CacheOpener {
  let works: Promise<boolean> | undefined;
  return async ({ caches, write }, user) => {
    if (caches === undefined || write.length === 0) return NO_CACHES;
    const mayOverlay = programs !== undefined && user?.uid !== 0;
    const canOverlay = async (folders: Omit<Overlay, "below">) => {
      if (!mayOverlay) return false;
      works ??= overlayWorks(folders, programs, user);
      return works;
    };
    const opened = await openLayer(caches, { user, canOverlay });
    if (opened === undefined) return NO_CACHES;
    const { overlays, ...layer } = opened;
    if (overlays.length === 0 || programs === undefined) return { ...layer, before: [], args: [] };
    return { ...layer, before: overlayArgs(overlays, programs), args: idArgs(user) };
  };
}

/** Within the namespace of the overlays the user is its root, and must not be in the sandbox. */
function idArgs(user: SandboxUser | undefined): readonly string[] {
  const { uid, gid } = user ?? { uid: process.getuid?.(), gid: process.getgid?.() };
  return ["--uid", `${uid}`, "--gid", `${gid}`];
}

interface LayerOptions {
  readonly user: SandboxUser | undefined;
  /** Whether overlays work with a layer in such folders. */
  canOverlay(folders: Omit<Overlay, "below">): Promise<boolean>;
}

interface LayeredCaches extends Pick<OpenCaches, "mounts" | "close"> {
  /** What must be mounted before: without it, the command sees an empty cache instead. */
  readonly overlays: readonly Overlay[];
}

/**
 * Opens a layer over the caches for one command. Commands that run at the same time have different layers, because two
 * overlays must not write to the same one. `undefined` where no layer can be kept: then caches are in memory.
 */
async function openLayer(
  { folder, parts }: ProjectCaches,
  { user, canOverlay }: LayerOptions,
): Promise<LayeredCaches | undefined> {
  const layer = takeLayer(folder, user);
  if (layer === undefined) return undefined;
  try {
    const isOverlaid = await canOverlay(overlayFolders(join(layer.path, "tried"), user));
    const opened = parts.map((cache) => openCache(cache, { ...layer, user, isOverlaid }));
    return {
      mounts: opened.flatMap(({ mounts }) => mounts),
      overlays: opened.flatMap(({ overlay }) => overlay ?? []),
      close: layer.free,
    };
  } catch (error) {
    layer.free();
    throw error;
  }
}

const MOST_LAYERS = 64;

interface Layer {
  readonly path: string;
  free(): void;
}

function takeLayer(folder: string, user: SandboxUser | undefined): Layer | undefined {
  try {
    makeFolder(folder, user);
    if (user !== undefined && closedFolder(join(folder, "layer"), user) !== undefined) return undefined;
    for (let number = 0; number < MOST_LAYERS; number += 1) {
      const path = join(folder, `${number}`);
      const held = takeFileLock(`${path}.lock`);
      if (held === undefined) continue;
      lutimesSync(`${path}.lock`, new Date(), new Date());
      return { path, free: () => held.close() };
    }
  } catch {
    // The folder cannot be written to.
  }
  return undefined;
}

/** Closed to all others, but for root, whose commands run as another user and must get through. */
function makeFolder(path: string, user: SandboxUser | undefined): void {
  mkdirSync(path, { recursive: true, mode: user === undefined ? 0o700 : 0o711 });
}

interface OpenLayer extends Pick<Layer, "path"> {
  readonly user: SandboxUser | undefined;
  readonly isOverlaid: boolean;
}

interface OpenedCache {
  readonly mounts: readonly Mount[];
  readonly overlay?: Overlay;
}

function openCache(cache: SharedCache, { path: layer, user, isOverlaid }: OpenLayer): OpenedCache {
  const { path, below, isPackages } = cache;
  const folder = join(layer, cache.name);
  if (below !== undefined && isOverlaid && [below, layer].every(canBeOverlaid)) {
    const overlay = { below, ...overlayFolders(folder, user) };
    return { mounts: [{ path, as: "cache", source: overlay.seen }, ...covers(cache, below)], overlay };
  }
  if (below !== undefined && isPackages)
    return { mounts: [{ path, as: "readable", source: below }, ...covers(cache, below)] };
  return { mounts: [{ path, as: "cache", source: ownFolder(join(folder, "upper"), user) }] };
}

function overlayFolders(folder: string, user: SandboxUser | undefined): Omit<Overlay, "below"> {
  const own = (name: string) => ownFolder(join(folder, name), user);
  return { upper: own("upper"), work: own("work"), seen: own("seen") };
}

/** A folder that commands write to, as the user that they run as. */
function ownFolder(path: string, user: SandboxUser | undefined): string {
  makeFolder(dirname(path), user);
  if (mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined && user !== undefined)
    lchownSync(path, user.uid, user.gid);
  return path;
}

function covers({ path, hidden }: SharedCache, below: string): readonly Mount[] {
  return hidden.flatMap((name): readonly Mount[] => {
    const stats = statSync(join(below, name), { throwIfNoEntry: false });
    if (stats === undefined) return [];
    return [{ path: join(path, name), as: stats.isDirectory() ? "hidden folder" : "hidden file" }];
  });
}
