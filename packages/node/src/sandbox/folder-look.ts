import { accessSync, type BigIntStats, constants, type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../files/file-failure.ts";
import { holdFolder } from "../files/held-folder.ts";
import type { PinnedFolder } from "../files/pinned-folder.ts";
import { type Find, findAt, identityOf } from "./find.ts";
import { meaningOf, type Place } from "./folder-places.ts";
import { headAmong } from "./obeyed-name.ts";

/** A folder, and as what it is looked into. */
export interface Looked {
  readonly path: string;
  readonly place: Place;
}

export interface Folder {
  /** What to look into next. */
  readonly next: readonly Looked[];
  readonly finds: readonly Find[];
  /** Files in which git wrote something down. What is in them changes without the folder. */
  readonly records: readonly string[];
  /** Set where it could not be looked into, with the reason. */
  readonly fault?: string;
}

const NOTHING: Folder = { next: [], finds: [], records: [] };
const MOST_REMEMBERED = 200_000;

/** Two changes within one tick of the clock have the same time. */
const RECENT_MS = 1_000;

/** Beyond this, there is no room for the names within what is found. The kernel takes 4,096 bytes. */
const LONGEST_PATH = 3_500;

const remembered = new Map<string, Folder & { readonly stamp: string }>();

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
    const code = errorCode(error) ?? "moved";
    if (isGone(looked.path, code) || isClosedToAll(looked.path, stats)) return NOTHING;
    const identity = stats === undefined ? `unknown ${looked.path}` : identityOf(stats);
    return {
      ...NOTHING,
      finds: [{ path: looked.path, kind: "unseen", type: "folder", identity }],
      fault: code,
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
  if (path.length > LONGEST_PATH / 4 && Buffer.byteLength(path) > LONGEST_PATH) throw faultOf("ENAMETOOLONG");
  const key = `${place} ${path}`;
  const stamp = `${identityOf(stats)}:${stats.ctimeNs}`;
  const known = remembered.get(key);
  if (known?.stamp === stamp) return known;
  using held = holdFolder(path);
  if (identityOf(lstatSync(held.at("."), { bigint: true })) !== identityOf(stats)) throw faultOf("moved");
  const folder = readFolder(looked, held, identityOf(stats));
  remembered.delete(key);
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  const isSettled = Date.now() - Number(stats.ctimeMs) > RECENT_MS;
  if (isSettled) remembered.set(key, { ...folder, stamp });
  return folder;
}

function readFolder({ path, place }: Looked, held: PinnedFolder, identity: string): Folder {
  // A folder that is listed but cannot be entered hides what is in its folders, and the other way round.
  accessSync(held.at("."), constants.R_OK | constants.X_OK);
  const entries = readdirSync(held.at("."), { withFileTypes: true });
  if (entries.some((entry) => isUnnameable(entry, held))) throw faultOf("EILSEQ");
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
    else if (kind === "protected" && entry.name.includes("\uFFFD")) throw faultOf("EILSEQ");
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

function faultOf(code: string): Error {
  return Object.assign(new Error(code), { code });
}
