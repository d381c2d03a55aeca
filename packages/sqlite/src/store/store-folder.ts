import { randomUUID } from "node:crypto";
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { ToolkeepError } from "@toolkeep/core";

/**
 * Makes a folder that is ours alone, or checks that one is.
 * @throws ToolkeepError `invalid_option` if it is none, belongs to somebody else, or lets others in.
 */
export function ownFolder(path: string): string {
  const made = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (made !== undefined) syncFolder(dirname(made));
  const found = lstatSync(path);
  if (!found.isDirectory()) throw refused(path, "it is not a folder");
  if (isForeign(found)) throw refused(path, "it belongs to another user");
  if (isOpenToOthers(found)) throw refused(path, "other users may look into it (chmod 700 would end that)");
  return path;
}

/**
 * Makes an empty file that is ours alone, unless it is there. Never opens one that is there: a process
 * that closes any handle of a database loses its locks on it.
 * @throws ToolkeepError `invalid_option` if it is no plain file, or belongs to somebody else.
 */
export function ownFile(folder: string, name: string): string {
  const path = join(folder, name);
  const found = settledEntry(path);
  if (found === undefined) placeEmpty(folder, path);
  else if (!found.isFile() || found.nlink > 1) throw refused(path, "it is not a plain file");
  else if (isForeign(found)) throw refused(path, "it belongs to another user");
  else if (isOpenToOthers(found)) chmodSync(path, 0o600);
  return path;
}

const LONGEST_PLACING_MS = 1_000;

/** What is at a path, once no other process is just placing it there: for that moment the file has two names. */
function settledEntry(path: string): Stats | undefined {
  const giveUpAt = performance.now() + LONGEST_PLACING_MS;
  for (;;) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    const isBeingPlaced = found?.isFile() === true && found.nlink > 1;
    if (!isBeingPlaced || performance.now() > giveUpAt) return found;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  }
}

/** Linked into place: of several processes that come at once, one makes it and none opens it. */
function placeEmpty(folder: string, path: string): void {
  const made = join(folder, `.${randomUUID()}.new`);
  writeFileSync(made, "", { mode: 0o600, flag: "wx" });
  try {
    linkSync(made, path);
    syncFolder(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(made);
  }
}

/** From here on the names in a folder survive a loss of power. */
export function syncFolder(folder: string): void {
  // Windows has no such thing, and makes names durable by itself.
  if (process.platform === "win32") return;
  const file = openSync(folder, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Windows has no owners of that kind: the folder's own permissions count there. */
function isForeign({ uid }: Stats): boolean {
  return process.getuid !== undefined && uid !== process.getuid();
}

function isOpenToOthers({ mode }: Stats): boolean {
  return process.getuid !== undefined && (mode & 0o077) !== 0;
}

function refused(path: string, why: string): ToolkeepError {
  return new ToolkeepError("invalid_option", `A store cannot be kept at ${path}: ${why}.`);
}
