import { closeSync, constants, fstatSync, openSync, readlinkSync } from "node:fs";
import { movedAway } from "./file-failure.ts";
import { openFile, pathIn } from "./opened-file.ts";
import type { PinnedFolder } from "./pinned-folder.ts";

/** A regular file that is open for reading, and was where its path says. */
export interface HeldFile extends Disposable {
  readonly descriptor: number;
  readonly size: number;
}

// Waits for nobody at the other end of a pipe, and takes no terminal for its own.
const READING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Opens what a list or a search came by as a regular file, with as few steps as it takes to be sure of it:
 * there may be thousands. Nobody but root could have put a device in its place.
 * @throws ToolFailure for what is no file any more, or is not there any more.
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
