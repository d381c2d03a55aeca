import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import type { ToolFailure } from "@toolkeep/core";
import { MOVED } from "./folder-memory.ts";

/** Folders that are looked into before a command, all together. */
export const MOST_FOLDERS = 100_000;
const SLICE_MS = 2;

export interface WalkedFolder<Look> {
  /** What to look into next. */
  readonly next: readonly Look[];
  /** Set where it could not be looked into, with the reason. */
  readonly error?: string;
}

export interface Walk<Look, Folder> {
  look(look: Look): Folder;
  readonly mostFolders: number;
  tooMany(): ToolFailure;
  /** What to take for a folder that could not be looked into, however often it was tried. */
  atError(look: Look, folder: Folder): Folder;
}

/**
 * Looks into folders, and into those that are found in them, and lets other work go on meanwhile.
 * @throws what `tooMany` says, and what `atFault` throws.
 */
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
