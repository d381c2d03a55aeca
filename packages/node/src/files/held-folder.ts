import { openSync } from "node:fs";
import { FOLDER, heldFolder, type PinnedFolder, pinFolder } from "./pinned-folder.ts";

/**
 * Holds a folder to look into it, in three calls of the system however deep it lies: it is entered by its whole
 * path, and then asked where it really is. A link on the way may have led elsewhere, which is seen before
 * anything is looked at. Who writes must use `pinFolder`, which never sets foot behind a link.
 * @throws ToolFailure `conflict` for a path that has become another one, or the error of the file system.
 */
export function holdFolder(path: string): PinnedFolder {
  return process.platform === "linux" ? heldFolder(openSync(path, FOLDER), path) : pinFolder(path);
}
