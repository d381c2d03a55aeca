import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import { fileFailure, movedAway, systemError } from "./file-failure.ts";
import { DESCRIPTORS, O_PATH, type PinnedFolder, pinFolder, wayFailure } from "./pinned-folder.ts";

/** A file that is open for reading, and is the one at its path. */
interface OpenedFile extends Disposable {
  readonly descriptor: number;
  readonly stats: BigIntStats;
}

// Does not wait for a writer of a pipe, and takes no controlling terminal.
const READING = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Opens the regular file at a canonical path. @throws ToolFailure for anything else, `conflict` for a changed path. */
export function openFile(path: string): OpenedFile {
  return process.platform === "linux" ? openByDescriptor(path) : openByName(path);
}

/**
 * In few system calls, however deep the file is. What is at the path is held first without being opened: a link that
 * was put on the way since may lead to a device, and to open one can be enough to trigger it. The descriptor gives its
 * real path, and what is opened is exactly what it holds.
 */
function openByDescriptor(path: string): OpenedFile {
  const held = holdEntry(path);
  try {
    const stats = fstatSync(held, { bigint: true });
    refuseIrregular(stats, path);
    if (realPathOf(held) !== path) throw movedAway(path);
    const descriptor = openSync(`${DESCRIPTORS}/${held}`, READING);
    return { descriptor, stats, [Symbol.dispose]: () => closeSync(descriptor) };
  } finally {
    closeSync(held);
  }
}

function holdEntry(path: string): number {
  try {
    return openSync(path, O_PATH | constants.O_NOFOLLOW);
  } catch (error) {
    throw wayFailure(error, path);
  }
}

function realPathOf(descriptor: number): string {
  const self = `${DESCRIPTORS}/${descriptor}`;
  try {
    return readlinkSync(self);
  } catch (error) {
    throw wayFailure(error, self);
  }
}

function openByName(path: string): OpenedFile {
  using folder = pinFolder(dirname(path));
  const name = basename(path);
  const before = lstatSync(folder.at(name), { bigint: true });
  refuseIrregular(before, path);
  const descriptor = openSync(folder.at(name), READING | constants.O_NOFOLLOW);
  try {
    const stats = fstatSync(descriptor, { bigint: true });
    refuseIrregular(stats, path);
    if (stats.ino !== before.ino || stats.dev !== before.dev) throw movedAway(path);
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
  if (stats.isDirectory()) throw fileFailure(systemError("EISDIR"), path);
  const message = `${JSON.stringify(path)} is a device, a pipe or a socket.`;
  throw new ToolFailure("tool_failed", message, { hint: "Name a file." });
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
    const { descriptor, stats, ...file } = openByName(pathIn(folder, name));
    return { descriptor, size: Number(stats.size), ...file };
  }
  const path = pathIn(folder, name);
  const descriptor = openSync(folder.at(name), READING | constants.O_NOFOLLOW);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || readlinkSync(`${DESCRIPTORS}/${descriptor}`) !== path) throw movedAway(path);
    return { descriptor, size: stats.size, [Symbol.dispose]: () => closeSync(descriptor) };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}
