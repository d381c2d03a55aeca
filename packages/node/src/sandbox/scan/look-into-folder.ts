import { accessSync, type BigIntStats, constants, type Dirent, lstatSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { unlessThrown } from "@toolkeep/core/internal";
import { errorCode } from "../../files/file-failure.ts";
import type { PinnedFolder } from "../../files/pinned-folder.ts";
import { isLeftOutByGit } from "../../git/ignore-rules.ts";
import { type Find, type FindKind, findAt, headAmong, identityOf, kindOfName } from "./find.ts";
import {
  DECIDING,
  DECIDING_INFO,
  type FolderRole,
  INSTALLED,
  LOOKED_INTO,
  OBJECTS,
  RECORDS,
  WITHIN_INSTALLED,
} from "./folder-roles.ts";
import { isRecord } from "./git-records.ts";
import { errorOf, folderMemory, MOVED, type WalkedFolder } from "./walk-folders.ts";

/** A folder, and as what it is looked into. */
export interface Looked {
  readonly path: string;
  readonly role: FolderRole;
}

interface Folder extends WalkedFolder<Looked> {
  readonly finds: readonly Find[];
  /** Files in which git wrote something down. What is in them changes without the folder. */
  readonly records: readonly string[];
}

const NOTHING: Folder = { next: [], finds: [], records: [] };

/** Longer paths leave no space for the names within what is found. The kernel accepts 4,096 bytes. */
const LONGEST_PATH = 3_500;

const memory = folderMemory<Folder>();

/**
 * Reads one folder, without following links; one that has not changed is not read again. The folder is opened and
 * verified to be the one at that path: no link on the way leads elsewhere. Never throws: a folder that cannot be read
 * is itself a find.
 */
export function look(looked: Looked): Folder {
  let stats: BigIntStats | undefined;
  try {
    stats = lstatSync(looked.path, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined || !stats.isDirectory() || isLeftOut(looked)) return NOTHING;
    return lookInto(looked, stats);
  } catch (error) {
    const code = errorCode(error) ?? MOVED;
    if (isGone(looked.path, code) || isClosedToAll(looked.path, stats)) return NOTHING;
    const identity = stats === undefined ? `unknown ${looked.path}` : identityOf(stats);
    return {
      ...NOTHING,
      finds: [{ path: looked.path, kind: "unseen", type: "folder", identity }],
      error: code,
    };
  }
}

/** Installed packages are many. Git enters the repositories among them where it does not ignore the folder. */
function isLeftOut({ path, role }: Looked): boolean {
  if (role !== "installed" || !INSTALLED.has(basename(path))) return false;
  return !WITHIN_INSTALLED.test(path) && isLeftOutByGit(path);
}

/** It went away meanwhile, and not something in it alone. */
function isGone(path: string, code: string): boolean {
  if (code !== "ENOENT" && code !== "ENOTDIR") return false;
  return unlessThrown(() => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) ?? false;
}

/** A command that runs as this user cannot enter a folder of another user that this process cannot enter. */
function isClosedToAll(path: string, stats: BigIntStats | undefined): boolean {
  const user = process.getuid?.();
  if (stats === undefined || user === undefined || user === 0 || Number(stats.uid) === user) return false;
  try {
    accessSync(path, constants.X_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EACCES";
  }
}

function lookInto(looked: Looked, stats: BigIntStats): Folder {
  const { path, role } = looked;
  if (path.length > LONGEST_PATH / 4 && Buffer.byteLength(path) > LONGEST_PATH) throw errorOf("ENAMETOOLONG");
  return memory.read({ path, stats, as: role }, (held) => readFolder(looked, held, identityOf(stats)));
}

function readFolder({ path, role }: Looked, held: PinnedFolder, identity: string): Folder {
  // A folder that is listed but cannot be entered hides what is in its folders, and the other way round.
  accessSync(held.at("."), constants.R_OK | constants.X_OK);
  const entries = readdirSync(held.at("."), { withFileTypes: true });
  if (entries.some((entry) => isUnnameable(entry, held))) throw errorOf("EILSEQ");
  const head =
    role === "repository" || role === "installed" ? undefined : headAmong(entries.map(({ name }) => name));
  const finds: Find[] = [];
  const next: Looked[] = [];
  const records: string[] = [];
  for (const entry of entries) {
    const meaning = meaningOf(entry, path, { role, isBare: head !== undefined });
    const kind = meaning.kind ?? (entry.isSocket() ? "socket" : undefined);
    const found = kind === undefined ? undefined : findAt(held.at(entry.name), kind);
    if (found !== undefined) finds.push({ ...found, path: join(path, entry.name) });
    // A link of git, or a name that is protected by its end, whose bytes are not valid text.
    else if (kind === "protected" && entry.name.includes("\uFFFD")) throw errorOf("EILSEQ");
    if (meaning.isRecord === true) records.push(join(path, entry.name));
    for (const one of meaning.next) next.push({ path: join(path, entry.name), role: one });
  }
  // Git replaces this file whenever the branch changes, so it is identified by its folder.
  if (head !== undefined && role !== "modules")
    finds.push({ path: join(path, head), kind: "head", type: "file", identity: `head of ${identity}` });
  return { next, finds, records };
}

/** Its name is not valid text, so that it cannot be addressed. */
function isUnnameable(entry: Dirent, held: PinnedFolder): boolean {
  if (!entry.name.includes("\uFFFD") || !entry.isDirectory()) return false;
  return lstatSync(held.at(entry.name), { throwIfNoEntry: false }) === undefined;
}

/** What an entry of a folder is, and as what it is looked into next. */
interface Meaning {
  readonly kind?: FindKind | undefined;
  readonly next: readonly FolderRole[];
  /** Whether git wrote it, so that its content decides. */
  readonly isRecord?: boolean;
}

const NO_MEANING: Meaning = { next: [] };

/** What an entry means. Nothing next to it makes it mean less: what looks like a repository is a plain folder too. */
function meaningOf(entry: Dirent, path: string, as: { role: FolderRole; isBare: boolean }): Meaning {
  const { role, isBare } = as;
  const within = isBare ? inRepository(entry) : NO_MEANING;
  switch (role) {
    case "plain":
      return together(inPlain(entry, path), within);
    case "installed":
      return inInstalled(entry);
    case "repository":
      return inGitFolder(entry);
    case "modules":
      return inModules(entry, path);
    case "work":
      return entry.isFile() ? RECORD : DECIDES;
    case "remotes":
      return DECIDES;
    default:
      return together(inRecord(entry, path), within);
  }
}

function together(one: Meaning, other: Meaning): Meaning {
  const isRecord = one.isRecord === true || other.isRecord === true;
  return { kind: one.kind ?? other.kind, next: [...new Set([...one.next, ...other.next])], isRecord };
}

function inPlain(entry: Dirent, path: string): Meaning {
  const kind = kindOfName(path, entry.name);
  if (!entry.isDirectory()) return { kind, next: [] };
  if (kind === "repository") return { kind, next: ["repository"] };
  // There may be secrets in what is protected.
  if (kind !== "protected" && INSTALLED.has(entry.name)) return { kind, next: ["installed"] };
  return { kind, next: kind === "protected" || kind === undefined ? ["plain"] : [] };
}

function inInstalled(entry: Dirent): Meaning {
  const isRepository = entry.name.toLowerCase() === ".git";
  const next = entry.isDirectory() ? [isRepository ? ("repository" as const) : ("installed" as const)] : [];
  return { kind: isRepository ? "repository" : undefined, next };
}

/** Git follows links in folders of any name here; next to a bare repository's files there may be folders of the user. */
function inGitFolder(entry: Dirent): Meaning {
  const found = inRepository(entry);
  return found === NO_MEANING && entry.isDirectory() ? { next: ["record"] } : found;
}

function inRepository(entry: Dirent): Meaning {
  const name = entry.name.toLowerCase();
  // Git follows each of them, to where no survey looks; and it writes through them.
  if (entry.isSymbolicLink()) return DECIDES;
  if (name === "hooks" || (DECIDING.has(name) && !entry.isDirectory())) return DECIDES;
  if (entry.isFile() && isRecord(name)) return RECORD;
  const next = Object.hasOwn(LOOKED_INTO, name) ? LOOKED_INTO[name] : undefined;
  return next !== undefined && entry.isDirectory() ? { next: [next] } : NO_MEANING;
}

const RECORD: Meaning = { next: [], isRecord: true };
const DECIDES: Meaning = { kind: "protected", next: [] };

function inModules(entry: Dirent, path: string): Meaning {
  const name = entry.name.toLowerCase();
  if (basename(path) === "info" && DECIDING_INFO.has(name)) return DECIDES;
  const found = inRepository(entry);
  if (found !== NO_MEANING || !entry.isDirectory()) return found;
  return { next: [RECORDS.has(name) ? "record" : "modules"] };
}

function inRecord(entry: Dirent, path: string): Meaning {
  if (entry.isSymbolicLink()) return DECIDES;
  if (!entry.isDirectory()) return NO_MEANING;
  // Git shows other objects in place of those that are named here.
  if (entry.name === "replace" && basename(path) === "refs") return DECIDES;
  if (basename(path) !== "objects") return { next: ["record"] };
  if (entry.name === "info") return { next: ["modules"] };
  return OBJECTS.test(entry.name) ? NO_MEANING : { next: ["record"] };
}
