import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
} from "node:fs";
import { ToolFailure } from "@toolkeep/core";
import { movedAway } from "./file-failure.ts";
import type { PinnedFolder } from "./pinned-folder.ts";

/** A file that is open for reading, and is the one at its path. */
interface OpenedFile extends Disposable {
  readonly descriptor: number;
  readonly stats: BigIntStats;
}

// Does not wait for a writer of a pipe, and takes no controlling terminal.
const READING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Opens a regular file in a held folder.
 * @throws ToolFailure for anything else of that name.
 */
export function openFile(folder: PinnedFolder, name: string): OpenedFile {
  const path = pathIn(folder, name);
  const before = lstatSync(folder.at(name), { bigint: true });
  refuseIrregular(before, path);
  const descriptor = openSync(folder.at(name), READING);
  try {
    const stats = fstatSync(descriptor, { bigint: true });
    refuseIrregular(stats, path);
    const isThere =
      process.platform === "linux"
        ? readlinkSync(`/proc/self/fd/${descriptor}`) === path
        : isSameFile(stats, before);
    if (!isThere) throw movedAway(path);
    folder.confirm();
    return { descriptor, stats, [Symbol.dispose]: () => closeSync(descriptor) };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

export function pathIn({ path }: PinnedFolder, name: string): string {
  return `${path === "/" ? "" : path}/${name}`;
}

/** Another one whenever the file was changed or replaced. */
export function versionOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].map((part) => part.toString(36)).join(".");
}

/** @throws ToolFailure for devices, pipes, sockets, links and folders. */
export function refuseIrregular(stats: BigIntStats, path: string): void {
  if (stats.isFile()) return;
  // A canonical path does not lead to a link: it was put there afterwards.
  if (stats.isSymbolicLink()) throw movedAway(path);
  const what = stats.isDirectory() ? "a folder" : "a device, a pipe or a socket";
  throw new ToolFailure("tool_failed", `${JSON.stringify(path)} is ${what}.`, { hint: "Name a file." });
}

function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}

/** A regular file that is open for reading, and was at its path. */
export interface HeldFile extends Disposable {
  readonly descriptor: number;
  readonly size: number;
}

/**
 * Opens what a list or a search found as a regular file, with as few steps as needed to verify it: there may be
 * thousands. Only root could have put a device there.
 * @throws ToolFailure for what is not a file any more, or does not exist any more.
 */
export function openHeld(folder: PinnedFolder, name: string): HeldFile {
  if (process.platform !== "linux") {
    const { descriptor, stats, ...file } = openFile(folder, name);
    return { descriptor, size: Number(stats.size), ...file };
  }
  const path = pathIn(folder, name);
  const descriptor = openSync(folder.at(name), READING);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || readlinkSync(`/proc/self/fd/${descriptor}`) !== path) throw movedAway(path);
    return { descriptor, size: stats.size, [Symbol.dispose]: () => closeSync(descriptor) };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}
