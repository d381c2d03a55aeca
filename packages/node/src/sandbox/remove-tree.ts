import { readdirSync, rmdirSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type PinnedFolder, pinFolder } from "../files/pinned-folder.ts";

/**
 * Removes a folder and what is in it, each name in the folder that holds it and no link followed: other users may
 * have put things there, and may exchange them meanwhile.
 * @throws the error of the file system, or ToolFailure `conflict`, for what cannot be removed.
 */
export function removeTree(path: string): void {
  using around = pinFolder(dirname(path));
  {
    using folder = pinFolder(path);
    removeContents(folder);
  }
  rmdirSync(around.at(basename(path)));
}

function removeContents(folder: PinnedFolder): void {
  for (const entry of readdirSync(folder.at("."), { withFileTypes: true })) {
    if (entry.isDirectory()) removeTree(join(folder.path, entry.name));
    else unlinkSync(folder.at(entry.name));
  }
}
