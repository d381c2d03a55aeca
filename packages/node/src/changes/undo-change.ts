import { createHash } from "node:crypto";
import { fstatSync, lstatSync, readSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import { errorCode } from "../files/file-failure.ts";
import { openHeld } from "../files/opened-file.ts";
import { type PinnedFolder, pinFolder } from "../files/pinned-folder.ts";
import type { ChangedFile, ChangeRecord } from "./change-journal.ts";

/** Gives files back what they had, unless another process changed them since, or what was kept is something else. */
export function undoChange({ files, folders }: ChangeRecord): void {
  for (const file of files) inFolderOf(file, (folder) => undoFile(folder, file));
  for (const folder of folders.toReversed()) removeIfEmpty(folder);
}

/** Removes what a change that was made has left next to its files. */
export function cleanUpAfter({ files }: ChangeRecord): void {
  for (const file of files) inFolderOf(file, (folder) => removeNeighbours(folder, file));
}

function undoFile(folder: PinnedFolder, file: ChangedFile): void {
  const { path, fresh, old } = file;
  const name = basename(path);
  const now = contentOf(folder, name);
  const isOurs = now === undefined || now === fresh?.content;
  if (old === undefined) {
    if (now !== undefined && isOurs) rmSync(folder.at(name));
  } else if (isOurs && now !== old.content && contentOf(folder, old.name) === old.content)
    renameSync(folder.at(old.name), folder.at(name));
  removeNeighbours(folder, file);
}

function removeNeighbours(folder: PinnedFolder, { fresh, old }: ChangedFile): void {
  for (const neighbour of [fresh, old])
    if (neighbour !== undefined) rmSync(folder.at(neighbour.name), { force: true });
}

/** A folder that is gone has nothing to give back to. */
function inFolderOf({ path }: ChangedFile, act: (folder: PinnedFolder) => void): void {
  using folder = foundFolder(dirname(path));
  if (folder !== undefined) act(folder);
}

function foundFolder(path: string): PinnedFolder | undefined {
  try {
    return pinFolder(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function removeIfEmpty(path: string): void {
  using folder = foundFolder(dirname(path));
  try {
    if (folder !== undefined) rmdirSync(folder.at(basename(path)));
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(errorCode(error) ?? "")) throw error;
  }
}

const AT_ONCE = 1_024 * 1_024;

/** What is in a regular file, in few letters; `undefined` if there is nothing of that name. */
export function contentOf(folder: PinnedFolder, name: string): string | undefined {
  const entry = lstatSync(folder.at(name), { throwIfNoEntry: false });
  if (entry === undefined) return undefined;
  if (!entry.isFile()) return "no file";
  using file = openHeld(folder, name);
  return hashOf(file.descriptor);
}

function hashOf(descriptor: number): string {
  const hash = createHash("sha256");
  const part = Buffer.allocUnsafe(Math.min(AT_ONCE, fstatSync(descriptor).size + 1));
  for (let count = readSync(descriptor, part); count > 0; count = readSync(descriptor, part))
    hash.update(part.subarray(0, count));
  return hash.digest("hex");
}
