import { accessSync, type BigIntStats, constants, type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../files/file-failure.ts";
import type { PinnedFolder } from "../files/pinned-folder.ts";
import { headAmong } from "./auto-executed-name.ts";
import { type Find, findAt, identityOf } from "./find.ts";
import { errorOf, folderMemory, MOVED } from "./folder-memory.ts";
import { meaningOf, type Place } from "./folder-places.ts";
import type { WalkedFolder } from "./walk-folders.ts";

/** A folder, and as what it is looked into. */
export interface Looked {
  readonly path: string;
  readonly place: Place;
}

export interface Folder extends WalkedFolder<Looked> {
  readonly finds: readonly Find[];
  /** Files in which git wrote something down. What is in them changes without the folder. */
  readonly records: readonly string[];
}

const NOTHING: Folder = { next: [], finds: [], records: [] };

/** Beyond this, there is no room for the names within what is found. The kernel takes 4,096 bytes. */
const LONGEST_PATH = 3_500;

const memory = folderMemory<Folder>();

/**
 * Looks into one folder, without following links; one that has not changed is not read again. What is read is
 * held, and is the folder at that path: no link on the way leads elsewhere. Never throws: what cannot be looked
 * into is itself what was found.
 */
export function look(looked: Looked): Folder {
  let stats: BigIntStats | undefined;
  try {
    stats = lstatSync(looked.path, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined || !stats.isDirectory()) return NOTHING;
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

/** It went away meanwhile, and not something in it alone. */
function isGone(path: string, code: string): boolean {
  if (code !== "ENOENT" && code !== "ENOTDIR") return false;
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true;
  } catch {
    return false;
  }
}

/** A folder of somebody else that we may not enter, a command that runs as ourselves may not enter either. */
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
  const { path, place } = looked;
  if (path.length > LONGEST_PATH / 4 && Buffer.byteLength(path) > LONGEST_PATH) throw errorOf("ENAMETOOLONG");
  return memory.read({ path, stats, as: place }, (held) => readFolder(looked, held, identityOf(stats)));
}

function readFolder({ path, place }: Looked, held: PinnedFolder, identity: string): Folder {
  // A folder that is listed but cannot be entered hides what is in its folders, and the other way round.
  accessSync(held.at("."), constants.R_OK | constants.X_OK);
  const entries = readdirSync(held.at("."), { withFileTypes: true });
  if (entries.some((entry) => isUnnameable(entry, held))) throw errorOf("EILSEQ");
  const head = place === "repository" ? undefined : headAmong(entries.map(({ name }) => name));
  const finds: Find[] = [];
  const next: Looked[] = [];
  const records: string[] = [];
  for (const entry of entries) {
    const meaning = meaningOf(entry, path, { place, isBare: head !== undefined });
    const kind = meaning.kind ?? (entry.isSocket() ? "socket" : undefined);
    const found = kind === undefined ? undefined : findAt(held.at(entry.name), kind);
    if (found !== undefined) finds.push({ ...found, path: join(path, entry.name) });
    // A link of git, or a name that counts by its end, which has bytes that are not text.
    else if (kind === "protected" && entry.name.includes("\uFFFD")) throw errorOf("EILSEQ");
    if (meaning.isRecord === true) records.push(join(path, entry.name));
    for (const one of meaning.next) next.push({ path: join(path, entry.name), place: one });
  }
  // Git puts another file in its place whenever it moves, so it is known by its folder.
  if (head !== undefined && place !== "modules")
    finds.push({ path: join(path, head), kind: "head", type: "file", identity: `head of ${identity}` });
  return { next, finds, records };
}

/** Its name is not text, so that nobody can say it. */
function isUnnameable(entry: Dirent, held: PinnedFolder): boolean {
  if (!entry.name.includes("\uFFFD") || !entry.isDirectory()) return false;
  return lstatSync(held.at(entry.name), { throwIfNoEntry: false }) === undefined;
}
