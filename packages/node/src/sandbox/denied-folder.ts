import { accessSync, type BigIntStats, constants, type Dirent, lstatSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DeniedAccess, PathDenies } from "@toolkeep/core";
import { identityOf, linkIdentity } from "./find.ts";

/** What a rule denies on something that is there. */
export interface DeniedPath {
  readonly path: string;
  /** The rule, as it is written. */
  readonly rule: string;
  /** `hidden`: may not be read. `guarded`: may not be changed. `kept`: may be changed, and not removed. */
  readonly as: "hidden" | "guarded" | "kept";
  /** The same holds for everything beneath it. */
  readonly isTree: boolean;
  /** What a link says: nothing can be mounted on one, so it is looked at again when the command is over. */
  readonly link?: string;
}

/** A folder that is looked into. `isGuarded`: what lies in it cannot be changed already. */
export interface DeniedLook {
  readonly path: string;
  readonly isGuarded: boolean;
}

export interface DeniedFolder {
  readonly denied: readonly DeniedPath[];
  readonly next: readonly DeniedLook[];
}

const NOTHING: DeniedFolder = { denied: [], next: [] };

/** Two changes within one tick of the clock have the same time. */
const RECENT_MS = 1_000;

interface Remembered extends DeniedFolder {
  readonly stamp: string;
}

const remembered = new WeakMap<PathDenies, Map<string, Remembered>>();

/** It went away, or is too deep for anything to be mounted there. */
const GONE: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG"]);
/** A command can close a folder with `chmod`, still read by name what is in it, and open it again later. */
const CLOSED: ReadonlySet<string> = new Set(["EACCES", "EPERM"]);
const UNKNOWN_RULE = "any that reaches into it, since it cannot be listed";

/**
 * What is denied in one folder, without following links; one that has not changed is not read again.
 * @throws the error of the file system where it says nothing about the folder, such as too many open files.
 */
export function lookForDenied(look: DeniedLook, denies: PathDenies): DeniedFolder {
  const known = remembered.get(denies) ?? new Map<string, Remembered>();
  remembered.set(denies, known);
  try {
    const stats = lstatSync(look.path, { bigint: true, throwIfNoEntry: false });
    if (stats?.isDirectory() !== true) return NOTHING;
    const key = `${look.isGuarded} ${look.path}`;
    const stamp = `${identityOf(stats)}:${stats.ctimeNs}`;
    const last = known.get(key);
    if (last?.stamp === stamp) return last;
    // Names that can be listed and not reached cannot be mounted on, either.
    accessSync(look.path, constants.R_OK | constants.X_OK);
    const folder = readFolder(look, denies);
    if (isSettled(stats)) known.set(key, { ...folder, stamp });
    else known.delete(key);
    return folder;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (GONE.has(code)) return NOTHING;
    if (!CLOSED.has(code)) throw error;
    return { denied: [{ path: look.path, rule: UNKNOWN_RULE, as: "hidden", isTree: true }], next: [] };
  }
}

function isSettled({ ctimeMs }: BigIntStats): boolean {
  return Date.now() - Number(ctimeMs) > RECENT_MS;
}

function readFolder({ path, isGuarded }: DeniedLook, denies: PathDenies): DeniedFolder {
  const denied: DeniedPath[] = [];
  const next: DeniedLook[] = [];
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const found = deniedEntry({ path: join(path, entry.name), entry, isGuarded }, denies);
    for (const one of found.denied) denied.push(nameable(one, path));
    for (const one of found.next) next.push(one);
  }
  return { denied, next };
}

/** Nothing can be mounted on a name that is not text: then the folder around it is held. */
function nameable(denied: DeniedPath, folder: string): DeniedPath {
  const isThere = !denied.path.includes("\uFFFD") || lstatSync(denied.path, { throwIfNoEntry: false });
  return isThere ? denied : { ...denied, path: folder, isTree: true };
}

export interface LookedEntry {
  readonly path: string;
  readonly entry: Pick<Dirent, "isDirectory" | "isSymbolicLink">;
  readonly isGuarded: boolean;
}

/** What is denied on one entry of a folder, and whether to look into it. */
export function deniedEntry({ path, entry, isGuarded }: LookedEntry, denies: PathDenies): DeniedFolder {
  if (entry.isSymbolicLink()) return deniedLink(path, denies);
  const at = isGuarded ? onlyRead(denies.at(path)) : changesOf(path, denies.at(path));
  if (!entry.isDirectory()) return { denied: heldAs(path, at, false), next: [] };
  const beneath = isGuarded ? onlyRead(denies.beneath(path)) : changesOf(path, denies.beneath(path));
  const held = heldAs(path, beneath, true);
  // Of a folder whose own name alone is denied, no more can be held than that it stays.
  const own = at?.delete === undefined || held.length > 0 ? [] : heldAs(path, { delete: at.delete }, false);
  const isLookedInto = held[0]?.as !== "hidden" && mayHold(path, denies);
  const look = { path, isGuarded: isGuarded || held[0]?.as === "guarded" };
  return { denied: [...held, ...own], next: isLookedInto ? [look] : [] };
}

/** What the policy denies is where a file really is; so a link leads to something that is asked about by itself. */
function deniedLink(path: string, denies: PathDenies): DeniedFolder {
  const rule = changesOf(path, denies.at(path))?.write;
  if (rule === undefined) return NOTHING;
  return { denied: [{ path, rule, as: "guarded", isTree: false, link: linkIdentity(path, []) }], next: [] };
}

function heldAs(path: string, access: DeniedAccess | undefined, isTree: boolean): readonly DeniedPath[] {
  if (access?.read !== undefined) return [{ path, rule: access.read, as: "hidden", isTree }];
  if (access?.write !== undefined) return [{ path, rule: access.write, as: "guarded", isTree }];
  return access?.delete === undefined ? [] : [{ path, rule: access.delete, as: "kept", isTree }];
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

/** Whether a walk from a folder around it may pass over a place: then the place is looked into by itself. */
export function mayBePassedOver(path: string, folder: string, denies: PathDenies): boolean {
  for (let at = path; at.length > folder.length; at = dirname(at)) if (!mayHold(at, denies)) return true;
  return false;
}

function mayHold(path: string, denies: PathDenies): boolean {
  return denies.reaches(path) && (!QUIET.has(basename(path)) || denies.names(path));
}
