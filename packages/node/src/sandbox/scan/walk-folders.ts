import { type BigIntStats, lstatSync } from "node:fs";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import type { ToolFailure } from "@toolkeep/core";
import { holdFolder, type PinnedFolder } from "../../files/pinned-folder.ts";
import { identityOf } from "./find.ts";

/** Folders that are looked into before a command, all together. */
export const MOST_FOLDERS = 100_000;
const SLICE_MS = 2;

export interface WalkedFolder<Look> {
  /** What to look into next. */
  readonly next: readonly Look[];
  /** Set where it could not be looked into, with the reason. */
  readonly error?: string;
}

interface Walk<Look, Folder> {
  look(look: Look): Folder;
  readonly mostFolders: number;
  tooMany(): ToolFailure;
  /** What to take for a folder that could not be looked into, however often it was tried. */
  atError(look: Look, folder: Folder): Folder;
}

/** Reads folders and those within, and yields to other work. @throws what `tooMany` returns, and what `atError` throws. */
export async function walkFolders<Look, Folder extends WalkedFolder<Look>>(
  from: readonly Look[],
  walk: Walk<Look, Folder>,
): Promise<readonly Folder[]> {
  const folders: Folder[] = [];
  const waiting = [...from];
  let until = performance.now() + SLICE_MS;
  for (let look = waiting.pop(); look !== undefined; look = waiting.pop()) {
    if (folders.length >= walk.mostFolders) throw walk.tooMany();
    let folder = walk.look(look);
    if (folder.error !== undefined) folder = await lookAgain(look, folder, walk);
    folders.push(folder);
    for (const next of folder.next) waiting.push(next);
    if (performance.now() < until) continue;
    await nextTurn();
    until = performance.now() + SLICE_MS;
  }
  return folders;
}

/** The machine has too many files open for a while. */
const BUSY: ReadonlySet<string> = new Set(["EMFILE", "ENFILE", "ENOMEM", "EAGAIN"]);
const PAUSE_MS = 20;
const MOST_PAUSES = 100;
const MOST_MOVES = 5;

async function lookAgain<Look, Folder extends WalkedFolder<Look>>(
  look: Look,
  first: Folder,
  walk: Walk<Look, Folder>,
): Promise<Folder> {
  let folder = first;
  for (let pauses = 0; pauses < mostPauses(folder.error); pauses += 1) {
    await wait(PAUSE_MS);
    folder = walk.look(look);
  }
  return folder.error === undefined ? folder : walk.atError(look, folder);
}

function mostPauses(error: string | undefined): number {
  if (error === MOVED) return MOST_MOVES;
  return BUSY.has(error ?? "") ? MOST_PAUSES : 0;
}

/** What was read of folders, for as long as they have not changed. */
export interface FolderMemory<Folder> {
  /**
   * The content of a folder. It is read only if it has changed, and while it is held: what is read is the folder that
   * was examined, whatever is put at its path meanwhile.
   * @throws the error of the file system; `moved` or a ToolFailure if the path leads elsewhere by now.
   */
  read(folder: LookedFolder, readHeld: (held: PinnedFolder) => Folder): Folder;
}

interface LookedFolder {
  readonly path: string;
  /** How it was found at its path. */
  readonly stats: BigIntStats;
  /** The same folder may be read in several ways. */
  readonly as: string;
}

const MOST_REMEMBERED = 200_000;

/** Two changes within one tick of the clock have the same time. */
const RECENT_MS = 1_000;

/** Another command moves it, or redirects its path with a link. */
export const MOVED = "moved";

export function folderMemory<Folder>(): FolderMemory<Folder> {
  const remembered = new Map<string, { readonly stamp: string; readonly folder: Folder }>();
  return {
    read({ path, stats, as }, readHeld) {
      const key = `${as} ${path}`;
      const identity = identityOf(stats);
      const stamp = `${identity}:${stats.ctimeNs}`;
      const known = remembered.get(key);
      if (known?.stamp === stamp) return known.folder;
      using held = holdFolder(path);
      if (identityOf(lstatSync(held.at("."), { bigint: true })) !== identity) throw errorOf(MOVED);
      const folder = readHeld(held);
      remembered.delete(key);
      if (remembered.size >= MOST_REMEMBERED) remembered.clear();
      if (Date.now() - Number(stats.ctimeMs) > RECENT_MS) remembered.set(key, { stamp, folder });
      return folder;
    },
  };
}

export function errorOf(code: string): Error {
  return Object.assign(new Error(code), { code });
}
