import { access, constants, lstat, readdir, readlink, realpath, stat } from "node:fs/promises";
import { isBeneath, isWithin } from "@toolkeep/core/internal";
import type { SandboxProfile } from "@toolkeep/core/ports";
import { COPIED_FD, FILTER_FD, mayBeCopied, REPORT_FD, SETTINGS_FD } from "../../processes/spawn-command.ts";
import {
  KEYS,
  NETWORK_SETTINGS,
  OF_PROGRAMS,
  PROGRAM_FOLDERS,
  RUNTIME_SETTINGS,
  SETTINGS,
  STORES,
  TLS_SETTINGS,
} from "../host/system-folders.ts";
import { HIDING_DEVICE, type Mount } from "../mounts/mount-plan.ts";

interface BubblewrapPlan {
  readonly profile: SandboxProfile;
  readonly mounts: readonly Mount[];
  readonly system: SystemMounts;
  /** Bytes for each of the folders that live in memory. */
  readonly temporaryBytes: number;
  /** The arguments that give the command its environment. */
  readonly environment: readonly string[];
  /** Whether there is a filter for system calls. */
  readonly isFiltered: boolean;
  /** The file in a home in memory that settings are copied to. */
  readonly settingsPath?: string | undefined;
  /** What a command needs to reach its hosts through a proxy. */
  readonly proxy?: readonly string[];
  /** For a command in the place of its project. */
  readonly place?: PlaceMounts;
}

interface PlaceMounts {
  /** What it sees as its home and as `/tmp`. */
  readonly home: string;
  readonly temporary: string;
  /** What is mounted read-only besides the profile's own. */
  readonly shown: readonly { readonly path: string; readonly source: string }[];
}

/** All arguments of `bwrap`, without the command itself. */
export function bubblewrapArgs(plan: BubblewrapPlan): readonly string[] {
  const { profile, mounts, system, environment, place } = plan;
  return [
    ...(place === undefined ? [...NAMESPACES, ...REPORT] : IN_PLACE),
    ...(plan.isFiltered ? FILTER : []),
    ...(profile.hosts === "any" ? ["--share-net", ...system.forNetwork, ...system.forTls] : []),
    ...(plan.proxy === undefined ? [] : [...system.forTls, ...plan.proxy]),
    ...(place === undefined ? [] : [...system.forTls, ...system.forPlaces]),
    ...environment,
    ...system.args,
    ...system.copied.flatMap((path, index) => ["--perms", "0444", "--file", `${COPIED_FD + index}`, path]),
    ...kernelMounts(plan.temporaryBytes, place !== undefined),
    ...system.covers,
    ...temporaryFolders(plan),
    ...settingsFile(plan),
    ...mounts.flatMap(mountArgs),
    // Only now, because folders to mount on are made in them.
    ...mounts.filter(({ as }) => as === "hidden folder").flatMap(({ path }) => ["--remount-ro", path]),
    ...(place?.shown.flatMap(({ path, source }) => ["--ro-bind", source, path]) ?? []),
    ...(place === undefined ? [] : ["--symlink", "/run", "/var/run"]),
    // What was copied is protected by this alone.
    ...["--remount-ro", "/", "--chdir", profile.cwd, "--"],
  ];
}

/** The first is given separately, because nested namespaces can be forbidden only together with it. */
const NAMESPACES: readonly string[] = [
  ...["--unshare-user", "--unshare-all", "--disable-userns", "--cap-drop", "ALL"],
  ...["--new-session", "--die-with-parent", "--hostname", "toolkeep"],
];

/** Those that commands of a project do not share: they have its network and see each other's processes. */
const IN_PLACE: readonly string[] = [
  ...["--unshare-user", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--disable-userns"],
  ...["--cap-drop", "ALL", "--new-session", "--die-with-parent", "--hostname", "toolkeep"],
  ...["--json-status-fd", `${REPORT_FD}`],
];

/** Where the runner of a `SandboxedCommand` with a namespace puts these files. They are closed within. */
const REPORT: readonly string[] = ["--info-fd", `${REPORT_FD}`];
const FILTER: readonly string[] = ["--seccomp", `${FILTER_FD}`];

/**
 * `bwrap` masks `/proc/sys` only for users whose permissions alone would let them write there, and a root without
 * capabilities can write there all the same. So it is masked in any case. Process 1 is `bwrap` itself, of the same
 * user: its memory could be written through `/proc/1/mem`, which no filter for system calls can tell from another file.
 */
function kernelMounts(bytes: number, isInPlace: boolean): readonly string[] {
  return [
    ...[
      "--dev",
      "/dev",
      "--size",
      `${bytes}`,
      "--perms",
      "1777",
      "--tmpfs",
      "/dev/shm",
      "--remount-ro",
      "/dev",
    ],
    ...(isInPlace ? ["--bind", "/proc", "/proc"] : ["--proc", "/proc"]),
    ...["--ro-bind", "/proc/sys", "/proc/sys"],
    ...["--size", "4096", "--perms", "0555", "--tmpfs", "/proc/1", "--remount-ro", "/proc/1"],
  ];
}

function settingsFile({ settingsPath }: BubblewrapPlan): readonly string[] {
  return settingsPath === undefined ? [] : ["--perms", "0644", "--file", `${SETTINGS_FD}`, settingsPath];
}

/** `/var/tmp` is `/tmp` under another name, unless something is mounted there. */
function temporaryFolders({ profile, mounts, temporaryBytes, place }: BubblewrapPlan): readonly string[] {
  const temporary = place?.temporary ?? profile.temporary;
  const inMemory = (path: string, mode: string) => [
    ...["--size", `${temporaryBytes}`, "--perms", mode, "--tmpfs", path],
  ];
  const at = (path: string) =>
    temporary === undefined ? inMemory(path, "1777") : ["--bind", temporary, path];
  const isMountedOn = mounts.some(({ path }) => isBeneath(path, "/var/tmp"));
  return [
    ...at("/tmp"),
    ...homeInMemory(profile).flatMap((path) =>
      place === undefined ? inMemory(path, "0700") : ["--bind", place.home, path],
    ),
    ...["--dir", "/var", ...(isMountedOn ? at("/var/tmp") : ["--symlink", "/tmp", "/var/tmp"])],
  ];
}

/** A home of its own in memory, unless the profile grants one or it makes no sense. */
export function homeInMemory({ environment, read, write }: SandboxProfile): readonly string[] {
  const home = environment["HOME"];
  const given = [...read, ...write];
  if (home === undefined || !/^\/[^/]/.test(home)) return [];
  const isTaken = ["/tmp", "/usr", "/etc", "/dev", "/proc", ...given].some((path) => isWithin(home, path));
  return isTaken ? [] : [home];
}

function mountArgs({ path, as, source = path }: Mount): readonly string[] {
  switch (as) {
    case "writable":
    case "pinned":
      return ["--bind", path, path];
    case "cache":
      return ["--bind", source, path];
    case "hidden file":
      // Devices cannot be opened in the sandbox, so that looking at it fails.
      return ["--ro-bind", HIDING_DEVICE, path];
    case "hidden folder":
      return ["--size", "65536", "--perms", "0555", "--tmpfs", path];
    default:
      return ["--ro-bind", source, path];
  }
}

/** Arguments for `bwrap`. */
export interface SystemMounts {
  readonly args: readonly string[];
  /** Files that are copied instead: for a small one that takes less time. */
  readonly copied: readonly string[];
  /** In addition, for commands that may use the network. */
  readonly forNetwork: readonly string[];
  /** In addition, for commands that reach hosts: whom to trust. */
  readonly forTls: readonly string[];
  /** In addition, for commands in a place. */
  readonly forPlaces: readonly string[];
  /** After the others: what the kernel tells of keys that are not the command's. */
  readonly covers: readonly string[];
}

/** Mounts the programs of this system, read-only. What is copied is no larger than the files that commands may write. */
export async function systemMounts(fileSize: number): Promise<SystemMounts> {
  const args: string[] = [];
  for (const path of STORES) if (await exists(path)) args.push("--ro-bind", path, path);
  for (const path of PROGRAM_FOLDERS) args.push(...(await programFolder(path)));
  const paths = [...SETTINGS, ...(await runtimeSettings())];
  const copied = await smallFiles(paths, Math.min(fileSize, MOST_COPIED_BYTES));
  args.push(...(await settings(paths.filter((path) => !copied.includes(path)))));
  const covers = (await exists(KEYS)) ? ["--ro-bind", "/dev/null", KEYS] : [];
  const [forNetwork, forTls, forPlaces] = await Promise.all([
    settings(NETWORK_SETTINGS),
    settings(TLS_SETTINGS),
    settings(OF_PROGRAMS),
  ]);
  return { args, copied, forNetwork, forTls, forPlaces, covers };
}

const MOST_COPIED_BYTES = 256 * 1_024;

async function smallFiles(paths: readonly string[], mostBytes: number): Promise<readonly string[]> {
  const found = await Promise.all(
    paths.map(async (path) => {
      const looks = [realpath(path), stat(path), access(path, constants.R_OK)] as const;
      const [end, stats] = await Promise.all(looks).catch(() => []);
      if (end === undefined || stats === undefined || isInPrograms(path, end)) return undefined;
      return mayBeCopied(stats) && stats.size <= mostBytes ? path : undefined;
    }),
  );
  return found.filter((path) => path !== undefined);
}

function isInPrograms(path: string, end: string): boolean {
  return end !== path && end.startsWith("/usr/");
}

/** A link into the programs of the system stays one, which costs less than a mount. */
async function settings(paths: readonly string[]): Promise<readonly string[]> {
  const args: string[] = [];
  for (const path of paths) {
    const end = await realpath(path).catch(() => undefined);
    if (end === undefined) continue;
    args.push(...(isInPrograms(path, end) ? ["--symlink", end, path] : ["--ro-bind", path, path]));
  }
  return args;
}

async function programFolder(path: string): Promise<readonly string[]> {
  if (!(await exists(path))) return [];
  const target = await readlink(path).catch(() => undefined);
  return target === undefined ? ["--ro-bind", path, path] : ["--symlink", target, path];
}

async function runtimeSettings(): Promise<readonly string[]> {
  const names = await readdir("/etc").catch(() => []);
  return names.filter((name) => RUNTIME_SETTINGS.test(name)).map((name) => `/etc/${name}`);
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
