import { closeSync, constants, openSync, readlinkSync } from "node:fs";
import { movedAway } from "./file-failure.ts";
import { type PinnedFolder, pinFolder } from "./pinned-folder.ts";

/** Not among the constants of Node. Such a descriptor stands for a place and opens nothing. */
const O_PATH = 0x20_0000;
const FOLDER = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Holds a folder to look into it, in three calls of the system however deep it lies: it is entered by its whole
 * path, and then asked where it really is. A link on the way may have led elsewhere, which is seen before
 * anything is looked at. Who writes must use `pinFolder`, which never sets foot behind a link.
 * @throws ToolFailure `conflict` for a path that has become another one, or the error of the file system.
 */
export function holdFolder(path: string): PinnedFolder {
  if (process.platform !== "linux") return pinFolder(path);
  const descriptor = openSync(path, FOLDER);
  const self = `/proc/self/fd/${descriptor}`;
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
