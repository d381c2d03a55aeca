import { type BigIntStats, lstatSync } from "node:fs";
import { holdFolder, type PinnedFolder } from "../files/pinned-folder.ts";
import { identityOf } from "./find.ts";

/** What was read of folders, for as long as they have not changed. */
export interface FolderMemory<Folder> {
  /**
   * What a folder holds. It is read only if it has changed, and while it is held: what is read is the folder that was
   * looked at, whatever is put at its path meanwhile.
   * @throws the error of the file system; `moved` or a ToolFailure where the path leads elsewhere by now.
   */
  read(folder: LookedFolder, readHeld: (held: PinnedFolder) => Folder): Folder;
}

interface LookedFolder {
  readonly path: string;
  /** How it was found at its path. */
  readonly stats: BigIntStats;
  /** The same folder may be read in several ways. */
  readonly as: string;
}

const MOST_REMEMBERED = 200_000;

/** Two changes within one tick of the clock have the same time. */
const RECENT_MS = 1_000;

/** Another command moves it, or leads its path elsewhere by a link. */
export const MOVED = "moved";

export function folderMemory<Folder>(): FolderMemory<Folder> {
  const remembered = new Map<string, { readonly stamp: string; readonly folder: Folder }>();
  return {
    read({ path, stats, as }, readHeld) {
      const key = `${as} ${path}`;
      const identity = identityOf(stats);
      const stamp = `${identity}:${stats.ctimeNs}`;
      const known = remembered.get(key);
      if (known?.stamp === stamp) return known.folder;
      using held = holdFolder(path);
      if (identityOf(lstatSync(held.at("."), { bigint: true })) !== identity) throw errorOf(MOVED);
      const folder = readHeld(held);
      remembered.delete(key);
      if (remembered.size >= MOST_REMEMBERED) remembered.clear();
      if (Date.now() - Number(stats.ctimeMs) > RECENT_MS) remembered.set(key, { stamp, folder });
      return folder;
    },
  };
}

export function errorOf(code: string): Error {
  return Object.assign(new Error(code), { code });
}
