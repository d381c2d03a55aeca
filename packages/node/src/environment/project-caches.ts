import { realpathSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { isWithin } from "@toolkeep/core/internal";
import type { ProjectCaches, SharedCache } from "@toolkeep/core/ports";
import { sha256 } from "../owned-files/sha256.ts";
import { SYSTEM_FOLDERS } from "./known-folders.ts";
import { closedBecause, type ShownPlace, secretsIn } from "./search-path.ts";
import { TEMPORARY_NAMES } from "./temporary-folders.ts";
import { TOOL_CACHES, type ToolCache } from "./tool-caches.ts";

interface CacheOptions extends ShownPlace {
  /** The home that commands see. */
  readonly seenHome: string;
  readonly values: Readonly<Record<string, string | undefined>>;
  /** Where the layers of all projects are. */
  readonly layers: string;
}

/** The caches that commands of a workspace see, and the variables by which their tools find those that were moved. */
export interface FoundCaches {
  readonly caches: ProjectCaches;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * The caches of the user's build tools and package managers, as far as commands may see them. Every other cache has a
 * place in the user's folder for caches, of which commands see nothing.
 */
export function projectCaches(options: CacheOptions): FoundCaches {
  const { roots, values, layers } = options;
  const places = [OTHERS, ...TOOL_CACHES]
    .map((cache) => placeOf(cache, options))
    .filter((place) => isUsable(place, roots));
  const moved = places.flatMap(({ cache: { variable = "" } }) =>
    isMoved(variable, values) ? [[variable, seenAt(resolve(values[variable] ?? ""), options)]] : [],
  );
  return {
    caches: {
      folder: join(layers, sha256(roots[0] ?? "")),
      parts: withoutIdle(places.map((place) => sharedCache(place, options))),
    },
    environment: Object.fromEntries(moved),
  };
}

/** Of the user's own nothing is shown: any program may keep anything there. */
const OTHERS: ToolCache = { name: "others", variable: "XDG_CACHE_HOME", base: "home", folder: ".cache" };

/** The place for all others has room for what the user has not. */
function withoutIdle([others, ...caches]: readonly SharedCache[]): readonly SharedCache[] {
  if (others === undefined) return [];
  const isIdle = ({ path, below }: SharedCache) => below === undefined && isWithin(path, others.path);
  return [others, ...caches.filter((cache) => !isIdle(cache))];
}

interface CachePlace {
  readonly cache: ToolCache;
  readonly path: string;
  /** Where commands see it. */
  readonly seen: string;
}

function placeOf(cache: ToolCache, options: CacheOptions): CachePlace {
  const { home, values } = options;
  const { variable, base, folder, part = "" } = cache;
  const bases = {
    home,
    cache: folderIn(values, "XDG_CACHE_HOME", join(home, ".cache")),
    data: join(home, ".local/share"),
  };
  const path = join(folderIn(values, variable, join(bases[base], folder)), part);
  return { cache, path, seen: seenAt(path, options) };
}

function seenAt(path: string, { home, seenHome }: CacheOptions): string {
  return isWithin(path, home) ? join(seenHome, path.slice(home.length)) : path;
}

function folderIn(values: CacheOptions["values"], variable: string | undefined, usual: string): string {
  return variable !== undefined && isMoved(variable, values) ? resolve(values[variable] ?? "") : usual;
}

function isMoved(variable: string, values: CacheOptions["values"]): boolean {
  return Object.hasOwn(values, variable) && isAbsolute(values[variable] ?? "");
}

/** Not where a sandbox has folders of its own, nor where a command sees the project itself. */
function isUsable({ path, seen }: CachePlace, roots: readonly string[]): boolean {
  const own = [...SYSTEM_FOLDERS, ...TEMPORARY_NAMES, ...RESERVED];
  const isApart = (root: string) => !isWithin(path, root) && !isWithin(root, path);
  return !own.some((folder) => isWithin(seen, folder)) && roots.every(isApart);
}

const RESERVED = ["/etc", "/proc", "/sys", "/dev", "/run"];

function sharedCache({ cache, path, seen }: CachePlace, options: CacheOptions): SharedCache {
  const place = { name: cache.name, path: seen, isPackages: cache.isPackages === true };
  const below = cache === OTHERS ? undefined : shownFolder(path, options);
  if (below === undefined) return { ...place, hidden: [] };
  const secrets = secretsIn(below, DEPTH, { left: MOST_ENTRIES }).map((one) => one.slice(below.length + 1));
  return { ...place, below, hidden: [...(cache.hidden ?? []), ...secrets] };
}

/** Caches have many entries; credentials that a user keeps in one are near its top. */
const DEPTH = 2;
const MOST_ENTRIES = 2_000;

function shownFolder(path: string, place: ShownPlace): string | undefined {
  try {
    const folder = realpathSync.native(path);
    return statSync(folder).isDirectory() && closedBecause(folder, place) === undefined ? folder : undefined;
  } catch {
    return undefined;
  }
}
