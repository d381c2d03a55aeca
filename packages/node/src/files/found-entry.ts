import { lstatSync } from "node:fs";
import type { FileEntry } from "@toolkeep/core";
import type { ReadablePaths } from "./readable-paths.ts";

/** What there is to say of a regular file; `undefined` for what is none, or not for the call to see. */
export function foundEntry(readable: ReadablePaths, path: string): FileEntry | undefined {
  return readable.look(path, (folder, name) => {
    const stats = lstatSync(folder.at(name), { throwIfNoEntry: false });
    return stats?.isFile() === true ? { path, size: stats.size, modifiedAt: stats.mtimeMs } : undefined;
  });
}
