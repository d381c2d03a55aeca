import { accessSync, constants, type Dirent, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import { isBeneath, isWithin } from "@toolkeep/core/internal";
import type { DeniedAccess, PathDenies } from "@toolkeep/core/policy";
import type { SandboxProfile } from "@toolkeep/core/ports";
import { errorCode } from "../files/file-failure.ts";
import type { PinnedFolder } from "../files/pinned-folder.ts";
import type { CommandProfile } from "../processes/command-parts.ts";
import { linkIdentity } from "./scan/find.ts";
import { searchedPaths } from "./scan/scan.ts";
import {
  type FolderMemory,
  folderMemory,
  MOST_FOLDERS,
  MOVED,
  type WalkedFolder,
  walkFolders,
} from "./scan/walk-folders.ts";

/**
 * The same with what the rules deny: what may not be read is hidden, what may not be changed is read-only, and what
 * is made under a denied name is found when the command is over.
 * @throws ToolFailure `unavailable` where there is more than can be masked.
 */
export async function withDenies(profile: SandboxProfile, denies: PathDenies): Promise<CommandProfile> {
  const { read, write, guarded, hidden, cwd } = profile;
  const denied = await deniedPaths(searchedPaths(profile), denies);
  const mounted = denied.filter(({ link }) => link === undefined);
  const pathsAs = (as: DeniedPath["as"]) => mounted.filter((one) => one.as === as).map(({ path }) => path);
  const unchanged = new Set(pathsAs("guarded"));
  const isFixed = (path: string) => [...unchanged].some((held) => isWithin(path, held));
  // A root, or a folder that a tool requires, would be opened again on top of the mask around it.
  const masked = [...new Set(pathsAs("hidden"))];
  const isOpen = (path: string) => !masked.some((held) => isBeneath(path, held));
  // What is read-only as a whole need not be guarded beneath itself.
  const changed = write.filter((path) => !isFixed(path) && isOpen(path));
  const effective = changed.length === 0 ? denied.filter(({ as }) => as === "hidden") : denied;
  const note = deniedNote(effective, cwd);
  return {
    ...profile,
    read: [...read, ...write.filter(isFixed)].filter(isOpen),
    write: changed,
    guarded: [...guarded, ...unchanged],
    hidden: [...hidden, ...masked],
    kept: pathsAs("kept"),
    ...(note === undefined ? {} : { note }),
    isDeniedToRead: (path) => denies.at(path)?.read !== undefined,
    createdDespiteDeny: async (found) => [
      ...(await createdDespiteDeny(denied, changed, denies)),
      ...found.filter((path) => mayNotBeMade(path, denies)),
    ],
  };
}

/** Each is a mount, and a folder around it often another. */
const MOST_DENIED = 400;

/**
 * What the rules deny of what is in some folders.
 * @throws ToolFailure `unavailable` if there is more than can be masked: no command runs with less.
 */
export async function deniedPaths(
  directories: readonly string[],
  denies: PathDenies,
): Promise<readonly DeniedPath[]> {
  const denied = await lookBeneath(directories, denies, MOST_FOLDERS);
  const mounted = denied.filter(({ link }) => link === undefined);
  if (mounted.length > MOST_DENIED) throw tooManyDenied(mounted);
  return denied;
}

/** What is there now, may not be made, and was not there before. */
export async function createdDespiteDeny(
  before: readonly DeniedPath[],
  directories: readonly string[],
  denies: PathDenies,
): Promise<readonly string[]> {
  const known = new Map(before.map(({ path, link }) => [path, link]));
  // However many folders there are by now: what is not looked at would stay.
  const after = await lookBeneath(directories, denies, Number.POSITIVE_INFINITY);
  return after
    .filter(({ path, link }) => !known.has(path) || known.get(path) !== link)
    .filter(({ path }) => mayNotBeMade(path, denies))
    .map(({ path }) => path);
}

function mayNotBeMade(path: string, denies: PathDenies): boolean {
  return denies.at(path)?.write !== undefined;
}

async function lookBeneath(
  directories: readonly string[],
  denies: PathDenies,
  mostFolders: number,
): Promise<readonly DeniedPath[]> {
  const found = directories.map((path) => lookAtPlace(path, denies));
  const folders = await walkFolders(
    found.flatMap(({ next }) => next),
    {
      look: (look) => lookForDenied(look, denies),
      mostFolders,
      tooMany: () => tooManyFolders(directories),
      atError({ path }, { error }) {
        throw unsearchable(path, error);
      },
    },
  );
  return [...found, ...folders].flatMap(({ denied }) => denied);
}

function lookAtPlace(path: string, denies: PathDenies): DeniedFolder {
  try {
    const entry = lstatSync(path, { throwIfNoEntry: false });
    if (entry === undefined) return { denied: [], next: [] };
    return deniedEntry({ path, at: path, entry, isGuarded: false }, denies);
  } catch (error) {
    throw unsearchable(path, errorCode(error));
  }
}

function unsearchable(path: string, code = "unknown error"): ToolFailure {
  return new ToolFailure(
    "unavailable",
    `${path} cannot be searched for what policy rules deny: ${code}. No command runs without that.`,
  );
}

function tooManyDenied(denied: readonly DeniedPath[]): ToolFailure {
  const counts = new Map<string, number>();
  for (const { rule } of denied) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  const [rule, count] = [...counts].toSorted(([, one], [, other]) => other - one)[0] as [string, number];
  return new ToolFailure(
    "unavailable",
    `Policy rules deny ${denied.length} paths that a sandbox must mask one by one; the most is ${MOST_DENIED}. \`${rule}\` alone denies ${count}.`,
    {
      hint: "No command runs until the rule names whole folders: a pattern that ends with /**, such as deny fs.read {workspace}/data/**, is one mask for each folder.",
    },
  );
}

function tooManyFolders(directories: readonly string[]): ToolFailure {
  return new ToolFailure(
    "unavailable",
    `There are more than ${MOST_FOLDERS} folders beneath ${directories.join(", ")}: too many to look for what policy rules deny.`,
    {
      hint: "Begin the patterns of denies with a folder, such as {workspace}/data/**, or work in a smaller folder.",
    },
  );
}

/** What a rule denies on something that is there. */
interface DeniedPath {
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
interface DeniedLook {
  readonly path: string;
  readonly isGuarded: boolean;
}

interface DeniedFolder extends WalkedFolder<DeniedLook> {
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
function lookForDenied(look: DeniedLook, denies: PathDenies): DeniedFolder {
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
function deniedEntry(
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

const MOST_NAMED = 5;

/**
 * What is masked because of policy, for the reader of what a command wrote. All of it is named, tracked by git or
 * not: a masked file also explains errors of other programs.
 */
export function deniedNote(denied: readonly DeniedPath[], cwd: string): string | undefined {
  const mounted = denied.filter(({ link }) => link === undefined);
  const hidden = mounted.filter(({ as }) => as === "hidden");
  const guarded = mounted.filter(({ as }) => as === "guarded");
  const kept = mounted.filter(({ as }) => as === "kept");
  const sentences = [
    ...said("Hidden in the sandbox because of policy", hidden, cwd),
    ...(hidden.length === 0 ? [] : ["git may show these as modified or deleted; do not commit that."]),
    ...said("Read-only in the sandbox because of policy", guarded, cwd),
    ...said("Cannot be removed in the sandbox because of policy", kept, cwd),
  ];
  return sentences.length === 0 ? undefined : sentences.join(" ");
}

function said(what: string, denied: readonly DeniedPath[], cwd: string): readonly string[] {
  if (denied.length === 0) return [];
  const named = denied.slice(0, MOST_NAMED);
  const groups = [...new Set(named.map(({ rule }) => rule))].map((rule) => {
    const names = named.filter((one) => one.rule === rule).map(({ path }) => nameOf(path, cwd));
    return `${names.join(", ")} (rule: ${rule})`;
  });
  const more = denied.length > MOST_NAMED ? ` and ${denied.length - MOST_NAMED} more` : "";
  return [`${what}: ${groups.join(", ")}${more}.`];
}

/** A name may contain anything, also text that looks like a message: what is not one plain name is quoted. */
const PLAIN = /^[\w./@+-]{1,100}$/u;
const LONGEST_NAME = 100;

function nameOf(path: string, cwd: string): string {
  const name = relative(cwd, path);
  if (name === "") return ".";
  const shown = name.startsWith("..") ? path : name;
  if (PLAIN.test(shown)) return shown;
  return shown.length > LONGEST_NAME
    ? `${JSON.stringify(shown.slice(0, LONGEST_NAME))}…`
    : JSON.stringify(shown);
}
