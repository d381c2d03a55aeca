import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from "node:fs";
import { ToolFailure } from "@toolkeep/core";
import { errorCode, movedAway } from "./file-failure.ts";

/** A folder that is held open, so that no other one can replace it while it is used. */
export interface PinnedFolder extends Disposable {
  readonly path: string;
  /** The path of an entry in exactly this folder, wherever the folder's own path leads by now. */
  at(name: string): string;
  /** @throws ToolFailure `conflict` when the folder is not at its path any more. */
  confirm(): void;
}

interface PinOptions {
  /** Makes the folders that are missing. */
  readonly make?: boolean;
}

/**
 * Opens the folder at a canonical path and holds it. No link is followed on the way: one that was put there since the
 * path was resolved is a failure.
 * @throws ToolFailure `conflict` for a path that has changed, or the error of the file system.
 */
export function pinFolder(path: string, options: PinOptions = {}): PinnedFolder {
  return process.platform === "linux"
    ? heldFolder(walk(path, options.make ?? false), path)
    : pinByName(path, options);
}

/** A constant of Linux that Node does not have. Such a descriptor refers to a path and opens nothing. */
export const O_PATH = 0x20_0000;
/** How a folder is opened to be held; not if it is a link. */
const FOLDER = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
export const DESCRIPTORS = "/proc/self/fd";

/** A folder that is open, once it is verified to be the one at the path. Closes it if it is another. */
function heldFolder(descriptor: number, path: string): PinnedFolder {
  const self = `${DESCRIPTORS}/${descriptor}`;
  const folder: PinnedFolder = {
    path,
    at: (name) => `${self}/${name}`,
    confirm() {
      if (readlinkSync(self) !== path) throw movedAway(path);
    },
    [Symbol.dispose]: () => closeSync(descriptor),
  };
  try {
    folder.confirm();
    return folder;
  } catch (error) {
    folder[Symbol.dispose]();
    throw error;
  }
}

/** From the root, one name at a time, each looked up in the folder that is held already. */
function walk(path: string, make: boolean): number {
  let held = openSync("/", FOLDER);
  for (const name of path.split("/")) {
    if (name === "") continue;
    const parent = held;
    try {
      held = enter(`${DESCRIPTORS}/${parent}/${name}`, make);
    } catch (error) {
      throw wayFailure(error, path);
    } finally {
      closeSync(parent);
    }
  }
  return held;
}

function enter(heldPath: string, make: boolean): number {
  try {
    return openSync(heldPath, FOLDER);
  } catch (error) {
    if (!make || errorCode(error) !== "ENOENT") throw error;
  }
  try {
    mkdirSync(heldPath);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
  return openSync(heldPath, FOLDER);
}

/** A canonical path leads through folders alone: anything else was put there afterwards. */
export function wayFailure(error: unknown, path: string): unknown {
  const code = errorCode(error);
  if (code === "ENOTDIR" || code === "ELOOP") return movedAway(path);
  if (code !== "ENOENT" || existsSync(DESCRIPTORS)) return error;
  return new ToolFailure("unavailable", "Files cannot be opened safely here: /proc is not mounted.");
}

/** Without /proc. Weaker: it does not notice a folder that is swapped twice between its two checks. Untested. */
function pinByName(path: string, { make = false }: PinOptions): PinnedFolder {
  if (make) mkdirSync(path, { recursive: true });
  const found = folderAt(path);
  return {
    path,
    at: (name) => `${path === "/" ? "" : path}/${name}`,
    confirm() {
      const now = folderAt(path);
      if (now.ino !== found.ino || now.dev !== found.dev) throw movedAway(path);
    },
    [Symbol.dispose]: () => undefined,
  };
}

function folderAt(path: string): Stats {
  const entry = lstatSync(path);
  if (!entry.isDirectory() || realpathSync.native(path) !== path) throw movedAway(path);
  return entry;
}

/**
 * Holds a folder for reading, in three system calls however deep it is: it is opened by its whole path, and its
 * descriptor then gives its real path. A link on the way may have led elsewhere, which is noticed before anything is
 * read. For writing use `pinFolder`, which never opens anything behind a link.
 * @throws ToolFailure `conflict` for a path that has changed, or the error of the file system.
 */
export function holdFolder(path: string): PinnedFolder {
  return process.platform === "linux" ? heldFolder(openSync(path, FOLDER), path) : pinFolder(path);
}
