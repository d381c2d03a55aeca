import { realpathSync, statSync } from "node:fs";
import type { Effect, RequirementSet } from "@toolkeep/core";
import {
  isBeneath,
  isProtectedName,
  isSecretFile,
  isWithin,
  onlyReads,
  splitCommand,
} from "@toolkeep/core/internal";
import type { PathDenies } from "@toolkeep/core/policy";
import type { Grant, ProjectCaches, SandboxProfile } from "@toolkeep/core/ports";

import type { FoundCaches } from "../environment/project-caches.ts";
import type { CommandProfile } from "../processes/command-parts.ts";
import { withDenies } from "./denied/denied-paths.ts";
import { isFileOrFolder, isGranted, missingNote, namedPaths } from "./denied/named-paths.ts";

/** Where the commands of a call run. Paths are absolute and free of links. */
interface CommandDirectory {
  /** The folders of the workspace. */
  readonly roots: readonly string[];
  /** Where a command runs. Default: the first root. */
  readonly cwd?: string;
  /** What commands get in addition to the search path, a home and a folder for temporary files. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Paths that commands may not change, in addition to protected names. */
  readonly guarded?: readonly string[];
  /** Paths that commands may not read, in addition to files with secrets. */
  readonly hidden?: readonly string[];
  /** What commands see as `/tmp`, and what `/tmp` means in the requirements of tools then. */
  readonly temporary?: { readonly folder: string; isTemporary(path: string): boolean };
  /** Folders with programs in addition to those of the system. */
  readonly programs?: readonly string[];
  /** The caches of build tools that commands see unless they only read. */
  caches?(): FoundCaches;
  /** Whether every command sees what an effect touches, so that nothing is opened for it. */
  isShown?(effect: Effect): boolean;
  /** Files with names of secrets that a call before this one was allowed to read for all commands after it. */
  readonly shown?: readonly string[];
  /** Called with what was granted and a sandbox cannot grant. */
  readonly onNote?: (note: string) => void;
}

/**
 * The sandbox profile for the commands of one call: what its tool requires, within all ceilings, for the effects that
 * the call resolved. A call whose commands only read may change nothing. There is no network unless the call resolved
 * `net.fetch` or `shell.network`. A protected name or a secret is open only if the call resolved exactly that path; a
 * sandbox masks all others. What the rules deny is masked.
 */
export async function sandboxProfileFor(grant: Grant, directory: CommandDirectory): Promise<CommandProfile> {
  const {
    roots,
    cwd = roots[0] ?? "/",
    environment = {},
    guarded = [],
    hidden = [],
    shown = [],
    onNote = () => {},
    temporary,
    programs,
  } = directory;
  const mayRead = grantedBy(grant, "read", directory);
  const mayWrite = grantedBy(grant, "write", directory);
  const read = mounted(mayRead, onNote);
  const write = mounted(mayWrite, onNote);
  const denies = grant.pathDenies?.();
  const isShown = (path: string) => covers(mayRead, path) && denies?.at(path)?.read === undefined;
  const readToo = [...namedPaths(grant, ["fs.read"], directory.isShown), ...shown.filter(isShown)].filter(
    (path) => mustBeNamed(path, mayRead) && isFileOrFolder(path),
  );
  const named = withAround(
    namedPaths(grant, ["fs.write", "fs.delete"], directory.isShown),
    namedPaths(grant, ["fs.delete"], directory.isShown),
    (path) => mustBeNamed(path, mayWrite),
  );
  const canBeOpened = (path: string) =>
    isFileOrFolder(path) || write.some((folder) => isWithin(path, folder));
  const isReading = callOnlyReads(grant.effects.filter((effect) => directory.isShown?.(effect) !== true));
  const found = isReading ? undefined : directory.caches?.();
  const profile: SandboxProfile = {
    read: unique(isReading ? [...read, ...readToo, ...write] : [...read, ...readToo]),
    write: isReading ? [] : unique([...write, ...named.filter(canBeOpened)]),
    guarded,
    hidden,
    hosts: resolvedHosts(grant),
    environment: { ...ENVIRONMENT, ...environment, ...found?.environment },
    ...(temporary === undefined ? {} : { temporary: temporary.folder }),
    ...(programs === undefined ? {} : { programs }),
    ...(found === undefined ? {} : { caches: allowedCaches(found.caches, denies) }),
    cwd,
  };
  const masked: CommandProfile = denies === undefined ? profile : await withDenies(profile, denies);
  const note = missingNote(named.filter((path) => !canBeOpened(path)));
  return note === undefined ? masked : { ...masked, note: [note, masked.note].filter(Boolean).join(" ") };
}

/** A cache in which a rule may deny something is not searched for it: commands get an empty one instead. */
function allowedCaches(caches: ProjectCaches, denies: PathDenies | undefined): ProjectCaches {
  const isDenied = (path: string) => denies?.at(path) !== undefined || denies?.reaches(path) === true;
  const parts = caches.parts.map(({ below, ...cache }) =>
    below === undefined || isDenied(below) ? cache : { ...cache, below },
  );
  return { ...caches, parts };
}

const ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
  HOME: "/home/toolkeep",
  TMPDIR: "/tmp",
  LANG: "C.UTF-8",
};

function grantedBy(
  grant: Grant,
  access: "read" | "write",
  directory: CommandDirectory,
): readonly GrantedPath[] {
  const { roots, onNote = () => {} } = directory;
  const unusable = (pattern: string) =>
    onNote(
      `${JSON.stringify(pattern)} chooses among names, which a sandbox cannot do: commands get nothing of it.`,
    );
  const directories = [grant.requires, ...grant.ceilings].map((set: RequirementSet) =>
    grantedPaths(set.fs?.[access] ?? [], unusable),
  );
  // A folder of the session's own is there in any case, under the name of the machine's.
  const isOwn = ({ path }: GrantedPath) => directory.temporary?.isTemporary(path) === true;
  const common = directories.reduce(intersection).filter((one) => !isOwn(one));
  if (!common.some(isEverything)) return common;
  onNote(`Commands may ${access} everything; of that they get the workspace and what a call names.`);
  return [
    ...common.filter((one) => !isEverything(one)),
    ...roots.map((path): GrantedPath => ({ path, isWhole: true })),
  ];
}

function isEverything({ path, isWhole }: GrantedPath): boolean {
  return path === "/" && isWhole;
}

/** A path that does not exist cannot be mounted; and a folder is mounted with everything beneath it, or not at all. */
function mounted(directories: readonly GrantedPath[], onNote: (note: string) => void): readonly string[] {
  return directories.flatMap(({ path, isWhole }) => {
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return [];
    if (realpathSync.native(path) !== path) {
      onNote(`${path} leads through a link; commands get nothing of it.`);
      return [];
    }
    if (isWhole || !statSync(path).isDirectory()) return [path];
    onNote(`${path} is a folder; write ${path}/** to open what is beneath it to commands.`);
    return [];
  });
}

/** A path that must be named: it is not granted with its folder, or its name is protected. */
function mustBeNamed(path: string, granted: readonly GrantedPath[]): boolean {
  if (SYSTEM.some((folder) => isWithin(path, folder))) return false;
  return !covers(granted, path) || isProtectedName(path) || isSecretFile(path);
}

/** A folder that is removed with something in it that must be named is open by its own name as well. */
function withAround(
  paths: readonly string[],
  removed: readonly string[],
  isMeant: (path: string) => boolean,
): readonly string[] {
  const meant = paths.filter(isMeant);
  return [...meant, ...removed.filter((path) => meant.some((one) => isBeneath(one, path)))];
}

/** In every sandbox already, or in none. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/proc", "/sys", "/dev"];

function unique(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)];
}

const WILD = /[*?{]/;
const READING: ReadonlySet<string> = new Set(["fs.read", "env.read"]);

/** Whether every command of a call is known to only read, and the call has no other effects. */
function callOnlyReads(effects: readonly Effect[]): boolean {
  const commands = effects.filter(({ capability }) => capability === "shell.run");
  return (
    commands.length > 0 &&
    effects.every(({ capability }) => capability === "shell.run" || READING.has(capability)) &&
    commands.every(({ target }) => onlyReads(splitCommand(target)))
  );
}

/** The hosts that the call resolved, if any. `shell.network` on `*` alone opens all of the network, and not just HTTP. */
function resolvedHosts(grant: Grant): readonly string[] | "any" {
  const effects = grant.effects.filter(
    (effect) => NETWORK.has(effect.capability) && isGranted(grant, effect),
  );
  if (effects.some(({ capability, target }) => capability === "shell.network" && /^\*+$/.test(target)))
    return "any";
  return [...new Set(effects.map(({ target }) => target))];
}

/** Effects of commands that talk to hosts. */
const NETWORK: ReadonlySet<string> = new Set(["net.fetch", "shell.network"]);

/** A folder with everything beneath it, or exactly one path. */
interface GrantedPath {
  readonly path: string;
  readonly isWhole: boolean;
}

/**
 * The paths that a list of patterns stands for, as far as they can be mounted: `/a/**` is a folder, `/a/b` one path. A
 * pattern that chooses among names cannot be mounted, and grants nothing.
 */
function grantedPaths(
  patterns: readonly string[],
  unusable: (pattern: string) => void,
): readonly GrantedPath[] {
  return patterns.flatMap((pattern) => {
    const directory = grantedPath(pattern);
    if (directory === undefined) unusable(pattern);
    return directory ?? [];
  });
}

function grantedPath(pattern: string): GrantedPath | undefined {
  if (pattern === "**" || pattern === "/**") return { path: "/", isWhole: true };
  const isWhole = pattern.endsWith("/**");
  const path = isWhole ? pattern.slice(0, -"/**".length) : pattern;
  const isPlain = path.startsWith("/") && !WILD.test(path) && !/\/\.{0,2}(?:\/|$)/.test(path);
  return isPlain ? { path, isWhole } : undefined;
}

/** What both lists grant: of two folders within each other the deeper. */
function intersection(some: readonly GrantedPath[], others: readonly GrantedPath[]): readonly GrantedPath[] {
  return some.flatMap((one) => others.flatMap((other) => common(one, other) ?? []));
}

function common(one: GrantedPath, other: GrantedPath): GrantedPath | undefined {
  if (one.path === other.path) return one.isWhole ? other : one;
  if (one.isWhole && isBeneath(other.path, one.path)) return other;
  return other.isWhole && isBeneath(one.path, other.path) ? one : undefined;
}

function covers(directories: readonly GrantedPath[], path: string): boolean {
  return directories.some((directory) =>
    directory.isWhole ? isWithin(path, directory.path) : path === directory.path,
  );
}
