import { realpathSync, statSync } from "node:fs";
import type { RequirementSet } from "@toolkeep/core";
import { isProtectedName, isSecretFile } from "@toolkeep/core/internal";
import type { Grant, SandboxProfile } from "@toolkeep/core/ports";
import { isWithin } from "../files/path-within.ts";
import type { CommandProfile } from "../processes/command-parts.ts";
import { callOnlyReads, resolvedHosts, resolvedPaths } from "./call-reach.ts";
import { covers, type GrantedPath, intersection, placesOf } from "./granted-paths.ts";
import { withDenies } from "./mask-denied-paths.ts";

/** Where the commands of a call run. Paths are absolute and free of links. */
export interface CommandDirectory {
  /** The folders of the workspace. */
  readonly roots: readonly string[];
  /** Where a command runs; the first root where it is left out. */
  readonly cwd?: string;
  /** What commands get beside the search path, a home and a place for temporary files. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Places that commands may not change, beside those with protected names. */
  readonly guarded?: readonly string[];
  /** Places that commands may not see, beside files with secrets. */
  readonly hidden?: readonly string[];
  /** Told of what was granted and cannot be built into walls. */
  readonly onNote?: (note: string) => void;
}

/**
 * The walls around the commands of one call: what its tool requires, within all ceilings, for what the call
 * foresaw. A call whose commands only read may change nothing. There is no network unless the call foresaw
 * `net.fetch` or `shell.network`. What is protected by its name, or a secret, is open only where the call
 * foresaw that very path; a sandbox holds all others back. What the rules deny is masked.
 */
export async function sandboxProfileFor(grant: Grant, place: CommandDirectory): Promise<CommandProfile> {
  const {
    roots,
    cwd = roots[0] ?? "/",
    environment = {},
    guarded = [],
    hidden = [],
    onNote = () => {},
  } = place;
  const mayRead = grantedBy(grant, "read", place);
  const mayWrite = grantedBy(grant, "write", place);
  const read = mounted(mayRead, onNote);
  const write = mounted(mayWrite, onNote);
  const readToo = resolvedPaths(grant, ["fs.read"]).filter(
    (path) => isOpening(path, mayRead) && isThere(path),
  );
  const writeToo = resolvedPaths(grant, ["fs.write", "fs.delete"])
    .filter((path) => isOpening(path, mayWrite))
    .filter((path) => isThere(path) || write.some((folder) => isWithin(path, folder)));
  const isReading = callOnlyReads(grant.effects);
  const profile: SandboxProfile = {
    read: unique(isReading ? [...read, ...readToo, ...write] : [...read, ...readToo]),
    write: isReading ? [] : unique([...write, ...writeToo]),
    guarded,
    hidden,
    hosts: resolvedHosts(grant),
    environment: { ...ENVIRONMENT, ...environment },
    cwd,
  };
  const denies = grant.pathDenies?.();
  return denies === undefined ? profile : withDenies(profile, denies);
}

const ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
  HOME: "/home/toolkeep",
  TMPDIR: "/tmp",
  LANG: "C.UTF-8",
};

function grantedBy(grant: Grant, access: "read" | "write", place: CommandDirectory): readonly GrantedPath[] {
  const { roots, onNote = () => {} } = place;
  const unusable = (pattern: string) =>
    onNote(`${JSON.stringify(pattern)} chooses among names, which walls cannot: commands get nothing of it.`);
  const directories = [grant.requires, ...grant.ceilings].map((set: RequirementSet) =>
    placesOf(set.fs?.[access] ?? [], unusable),
  );
  const common = directories.reduce(intersection);
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

/** Nothing can be mounted that is not there; and a folder is mounted with all that lies beneath it, or not at all. */
function mounted(directories: readonly GrantedPath[], onNote: (note: string) => void): readonly string[] {
  return directories.flatMap(({ path, isWhole }) => {
    if (!isThere(path)) return [];
    if (realpathSync.native(path) !== path) {
      onNote(`${path} leads through a link; commands get nothing of it.`);
      return [];
    }
    if (isWhole || !statSync(path).isDirectory()) return [path];
    onNote(`${path} is a folder; write ${path}/** to open what lies beneath it to commands.`);
    return [];
  });
}

/** A path that needs to be named: it is not granted with its folder, or its name holds it back. */
function isOpening(path: string, granted: readonly GrantedPath[]): boolean {
  if (SYSTEM.some((folder) => isWithin(path, folder))) return false;
  return !covers(granted, path) || isProtectedName(path) || isSecretFile(path);
}

/** Within all walls already, or within none. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/proc", "/sys", "/dev"];

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function unique(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)];
}
