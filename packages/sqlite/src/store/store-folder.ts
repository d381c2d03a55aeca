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
import type { ToolkeepError } from "@toolkeep/core";
import { invalidOption } from "@toolkeep/core/internal";

/**
 * Creates a folder that is closed to other users, or checks an existing one.
 * @throws ToolkeepError `invalid_option` if it is not a folder, belongs to another user, or is open to others.
 */
export function ownFolder(path: string): string {
  const made = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (made !== undefined) syncFolder(dirname(made));
  const found = lstatSync(path);
  if (!found.isDirectory()) throw refused(path, "it is not a folder");
  if (isForeign(found)) throw refused(path, "it belongs to another user");
  if (isOpenToOthers(found)) throw refused(path, "other users can read it. Run `chmod 700` on it");
  return path;
}

/**
 * Creates an empty file that is closed to other users, unless it exists. Never opens an existing one: a process that
 * closes any handle of a database loses its locks on it.
 * @throws ToolkeepError `invalid_option` if it is not a regular file, or belongs to another user.
 */
export function ownFile(folder: string, name: string): string {
  const path = join(folder, name);
  const found = settledEntry(path);
  if (found === undefined) linkEmpty(folder, path);
  else if (!found.isFile() || found.nlink > 1) throw refused(path, "it is not a regular file");
  else if (isForeign(found)) throw refused(path, "it belongs to another user");
  else if (isOpenToOthers(found)) chmodSync(path, 0o600);
  return path;
}

const LONGEST_LINKING_MS = 1_000;

/** The entry at a path, once no other process is linking it: for that moment the file has two names. */
function settledEntry(path: string): Stats | undefined {
  const giveUpAt = performance.now() + LONGEST_LINKING_MS;
  for (;;) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    const isBeingLinked = found?.isFile() === true && found.nlink > 1;
    if (!isBeingLinked || performance.now() > giveUpAt) return found;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  }
}

/** Links a new file to its name: of several processes, one creates it and none opens it. */
function linkEmpty(folder: string, path: string): void {
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

/** Makes the names in a folder survive a power failure. */
export function syncFolder(folder: string): void {
  // Windows has no such operation, and makes names durable itself.
  if (process.platform === "win32") return;
  const file = openSync(folder, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Windows has no owners of this kind: the permissions of the folder itself apply there. */
function isForeign({ uid }: Stats): boolean {
  return process.getuid !== undefined && uid !== process.getuid();
}

function isOpenToOthers({ mode }: Stats): boolean {
  return process.getuid !== undefined && (mode & 0o077) !== 0;
}

function refused(path: string, why: string): ToolkeepError {
  return invalidOption(`${path} cannot be used for a store: ${why}.`);
}
