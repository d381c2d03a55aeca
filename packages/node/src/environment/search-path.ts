import { readdirSync, type Stats, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { isBeneath, isSecretFile, isWithin } from "@toolkeep/core/internal";
import { realFolder } from "../files/entries.ts";
import { CERTIFICATES, CLOSED, GLOBAL_SETTINGS, SYSTEM, SYSTEM_FOLDERS } from "./known-folders.ts";
import { dataIn, isSettingsOfPrograms, programFolders } from "./program-folders.ts";

/** Where commands in a sandbox find their programs. */
export interface SearchPath {
  /** The value of `PATH`. */
  readonly value: string;
  /** Folders outside of the system that must be readable for it. Absolute and free of links. */
  readonly programs: readonly string[];
  /** What is in these folders and must not be. */
  readonly hidden: readonly string[];
}

/** Where folders are shown to commands. */
export interface ShownPlace {
  readonly home: string;
  readonly roots: readonly string[];
  /** Paths that commands never see. */
  readonly hidden: readonly string[];
}

interface SearchPathOptions extends ShownPlace {
  /** As the user has it. */
  readonly path: string | undefined;
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly onNote?: (note: string) => void;
}

/**
 * The user's search path, as far as a sandbox can have it: folders of version managers and of the user with what their
 * programs need, read-only. A folder of the workspace comes last, because a model can write to it: it must not stand
 * before the programs that a decision was about. A folder that others can write to, a relative one and one with secrets
 * are left out.
 */
export function searchPath(options: SearchPathOptions): SearchPath {
  const { roots } = options;
  const early: string[] = [];
  const late: string[] = [];
  const programs = new Set<string>();
  for (const entry of [...(options.path ?? "").split(":"), ...ownNode()]) {
    const folder = folderOf(entry);
    if (folder === undefined) continue;
    if (roots.some((root) => isWithin(folder, root) || isWithin(entry, root))) late.push(folder);
    else if (SYSTEM_FOLDERS.some((one) => isWithin(folder, one)))
      early.push(isAbsolute(entry) ? entry : folder);
    else if (!folder.endsWith("/node_modules/.bin")) {
      const error = closedBecause(folder, options);
      if (error !== undefined) options.onNote?.(`${entry} of PATH is left out in the sandbox: ${error}.`);
      else {
        early.push(folder);
        for (const one of [folder, ...neededBy(folder, options)]) programs.add(one);
      }
    }
  }
  const kept = topmost([...programs]);
  return {
    value: [...new Set([...early, ...SYSTEM, ...late])].join(":"),
    programs: kept,
    // A folder that is in the path itself may have anything in it.
    hidden: kept.flatMap((folder) => [
      ...dataIn(folder),
      ...secretsIn(folder, early.includes(folder) ? DEEPEST : DEPTH, { left: MOST_ENTRIES }),
    ]),
  };
}

function neededBy(folder: string, options: SearchPathOptions): readonly string[] {
  return programFolders(folder, options.home, options.values).filter(
    (one) => closedBecause(one, options) === undefined,
  );
}

/** The Node that runs this process, and not a program that Node is a part of. */
function ownNode(): readonly string[] {
  return /^node/.test(basename(process.execPath)) ? [dirname(process.execPath)] : [];
}

/** `undefined` for what is no folder; relative entries depend on where a command runs, and are none. */
function folderOf(entry: string): string | undefined {
  const folder = isAbsolute(entry) ? realFolder(entry) : undefined;
  return folder?.includes(":") === false ? folder : undefined;
}

/** Why a folder may not be shown to commands, or why what is in it may not be believed. */
export function closedBecause(folder: string, { home, roots, hidden }: ShownPlace): string | undefined {
  if (isWithin(home, folder)) return "it contains the home folder";
  if (roots.some((root) => isWithin(root, folder))) return "it contains the workspace";
  if (isSecretFile(folder) || (isClosed(folder) && !isSettingsOfPrograms(folder)))
    return "it may hold secrets";
  if (hidden.some((path) => isWithin(folder, path) || isBeneath(path, folder)))
    return "it belongs to Toolkeep";
  return rightsErrorOf(folder, ownersFor(roots));
}

function isClosed(folder: string): boolean {
  return folder.split("/").some((name) => CLOSED.has(name));
}

/** Those whose programs the user runs anyway: root, and the user; for root, the user that commands run as. */
function ownersFor([root = "/"]: readonly string[]): ReadonlySet<number> {
  const own = process.getuid?.() ?? 0;
  return new Set([0, own, ...(own === 0 ? [statSync(root).uid] : [])]);
}

function rightsErrorOf(folder: string, owners: ReadonlySet<number>): string | undefined {
  for (let at = folder; at !== "/"; at = dirname(at)) {
    const stats = statSync(at);
    if (!owners.has(stats.uid)) return `${at} belongs to another user`;
    const isSticky = at !== folder && (stats.mode & 0o1000) !== 0;
    if ((stats.mode & 0o002) !== 0 && !isSticky) return `other users can write to ${at}`;
    if (process.getuid?.() === 0 && !isOpenTo(stats, owners))
      return `${at} cannot be entered by the user that commands run as`;
  }
  return undefined;
}

function isOpenTo({ uid, mode }: Stats, owners: ReadonlySet<number>): boolean {
  return (mode & 0o001) !== 0 || (uid !== 0 && owners.has(uid) && (mode & 0o100) !== 0);
}

function topmost(folders: readonly string[]): readonly string[] {
  return folders.filter((folder) => !folders.some((other) => isBeneath(folder, other)));
}

/** Deeper, installations have nothing but their own files. */
const DEPTH = 2;
const DEEPEST = 6;
const MOST_ENTRIES = 20_000;

/** What looks like a secret in a folder that is shown, down to a depth. */
export function secretsIn(folder: string, depth: number, entries: { left: number }): readonly string[] {
  try {
    const found = readdirSync(folder, { withFileTypes: true });
    entries.left -= found.length;
    return found.flatMap((entry) => {
      const path = join(folder, entry.name);
      const isSecret = isSecretFile(path) && !CERTIFICATES.test(entry.name);
      if (isSecret || GLOBAL_SETTINGS.test(path) || entry.isSocket())
        return entry.isSymbolicLink() ? [] : [path];
      const isEntered = entry.isDirectory() && depth > 1 && entries.left > 0;
      return isEntered ? secretsIn(path, depth - 1, entries) : [];
    });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOTDIR" ? [] : [folder];
  }
}
