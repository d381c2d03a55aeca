import { accessSync, constants, type Dirent, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { basename, join } from "node:path";
import type { DeniedAccess, PathDenies } from "@toolkeep/core/policy";
import { errorCode } from "../../files/file-failure.ts";
import type { PinnedFolder } from "../../files/pinned-folder.ts";
import { linkIdentity } from "../scan/find.ts";
import { type FolderMemory, folderMemory, MOVED, type WalkedFolder } from "../scan/walk-folders.ts";

/** What a rule denies on something that is there. */
export interface DeniedPath {
  readonly path: string;
  /** The rule, as it is written. */
  readonly rule: string;
  /** `hidden`: may not be read. `guarded`: may not be changed. `kept`: may be changed, and not removed. */
  readonly as: "hidden" | "guarded" | "kept";
  /** The same applies to everything beneath it. */
  readonly isTree: boolean;
  /** The text of a link: it cannot be a mount point, so it is checked again when the command is over. */
  readonly link?: string;
}

/** A folder to search. `isGuarded`: what is in it cannot be changed already. */
export interface DeniedLook {
  readonly path: string;
  readonly isGuarded: boolean;
}

export interface DeniedFolder extends WalkedFolder<DeniedLook> {
  readonly denied: readonly DeniedPath[];
}

const NOTHING: DeniedFolder = { denied: [], next: [] };

const memories = new WeakMap<PathDenies, FolderMemory<DeniedFolder>>();

/** It went away, or is too deep for anything to be mounted there. */
const GONE: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG"]);
/** A command can close a folder with `chmod`, still read by name what is in it, and open it again later. */
const CLOSED: ReadonlySet<string> = new Set(["EACCES", "EPERM"]);
const UNKNOWN_RULE = "any that reaches into it, since it cannot be listed";

/**
 * What is denied in one folder, without following links; one that has not changed is not read again. Never throws: an
 * error of the file system that says nothing about the folder, such as too many open files, is in `error`.
 */
export function lookForDenied(look: DeniedLook, denies: PathDenies): DeniedFolder {
  const { path, isGuarded } = look;
  const memory = memories.get(denies) ?? folderMemory<DeniedFolder>();
  memories.set(denies, memory);
  try {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (stats?.isDirectory() !== true) return NOTHING;
    return memory.read({ path, stats, as: `${isGuarded}` }, (held) => readFolder(look, held, denies));
  } catch (thrown) {
    const error = errorCode(thrown) ?? MOVED;
    if (GONE.has(error)) return NOTHING;
    if (!CLOSED.has(error)) return { ...NOTHING, error };
    return { denied: [{ path, rule: UNKNOWN_RULE, as: "hidden", isTree: true }], next: [] };
  }
}

function readFolder({ path, isGuarded }: DeniedLook, held: PinnedFolder, denies: PathDenies): DeniedFolder {
  // Names that can be listed and not reached cannot be mounted on, either.
  accessSync(held.at("."), constants.R_OK | constants.X_OK);
  const denied: DeniedPath[] = [];
  const next: DeniedLook[] = [];
  for (const entry of readdirSync(held.at("."), { withFileTypes: true })) {
    const at = held.at(entry.name);
    const found = deniedEntry({ path: join(path, entry.name), at, entry, isGuarded }, denies);
    const isNameable =
      !entry.name.includes("\uFFFD") || lstatSync(at, { throwIfNoEntry: false }) !== undefined;
    // A name that is not valid text cannot be a mount point: then its folder is masked.
    for (const one of found.denied) denied.push(isNameable ? one : { ...one, path, isTree: true });
    for (const one of found.next) next.push(one);
  }
  return { denied, next };
}

interface LookedEntry {
  readonly path: string;
  /** Its path in the held folder. */
  readonly at: string;
  readonly entry: Pick<Dirent, "isDirectory" | "isSymbolicLink">;
  readonly isGuarded: boolean;
}

/** What is denied on one entry of a folder, and whether to look into it. */
export function deniedEntry(
  { path, at: heldPath, entry, isGuarded }: LookedEntry,
  denies: PathDenies,
): DeniedFolder {
  if (entry.isSymbolicLink()) return deniedLink(path, heldPath, denies);
  const at = isGuarded ? onlyRead(denies.at(path)) : changesOf(path, denies.at(path));
  if (!entry.isDirectory()) return { denied: heldAs(path, at, false), next: [] };
  const beneath = isGuarded ? onlyRead(denies.beneath(path)) : changesOf(path, denies.beneath(path));
  const held = heldAs(path, beneath, true);
  // If the name of a folder alone is denied, the folder can only be kept from being removed.
  const own = at?.delete === undefined || held.length > 0 ? [] : heldAs(path, { delete: at.delete }, false);
  const isLookedInto = held[0]?.as !== "hidden" && mayHold(path, denies);
  const look = { path, isGuarded: isGuarded || held[0]?.as === "guarded" };
  return { denied: [...held, ...own], next: isLookedInto ? [look] : [] };
}

/** Policy denies the real path of a file; so the target of a link is checked separately. */
function deniedLink(path: string, heldPath: string, denies: PathDenies): DeniedFolder {
  const rule = changesOf(path, denies.at(path))?.write;
  if (rule === undefined) return NOTHING;
  const link = linkIdentity(path, [], readlinkSync(heldPath));
  return { denied: [{ path, rule, as: "guarded", isTree: false, link }], next: [] };
}

function heldAs(path: string, access: DeniedAccess | undefined, isTree: boolean): readonly DeniedPath[] {
  if (access?.read !== undefined) return [{ path, rule: access.read, as: "hidden", isTree }];
  if (access?.write !== undefined) return [{ path, rule: access.write, as: "guarded", isTree }];
  if (access?.delete === undefined) return [];
  // There is no mount for a folder that is written to and loses nothing.
  return [{ path, rule: access.delete, as: isTree ? "guarded" : "kept", isTree }];
}

function onlyRead(access: DeniedAccess | undefined): DeniedAccess | undefined {
  return access?.read === undefined ? undefined : { read: access.read };
}

const REPOSITORY = /\/\.git(?:\/|$)/i;

/** The folder of a repository is git's to write; what decides in it is guarded by its name. */
function changesOf(path: string, access: DeniedAccess | undefined): DeniedAccess | undefined {
  return REPOSITORY.test(path) ? onlyRead(access) : access;
}

/** Folders of installed packages and of repositories are looked into only for rules that name them. */
const QUIET: ReadonlySet<string> = new Set(["node_modules", "site-packages", ".git"]);

function mayHold(path: string, denies: PathDenies): boolean {
  return denies.reaches(path) && (!QUIET.has(basename(path)) || denies.names(path));
}
