import { chmodSync, closeSync, constants, fstatSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { unlessThrown } from "@toolkeep/core/internal";
import { O_PATH } from "../../../files/pinned-folder.ts";

/*
 * A folder is moved, and so is what is in it, only by who may write to it. Owners take that right from themselves, e.g.
 * in the module cache of Go: it is given back for a moment.
 */

const RIGHTS = 0o7777;
const TO_CHANGE = 0o300;

/** The mode that a folder has for that moment. */
export function openedMode(mode: number): number {
  return mode | TO_CHANGE;
}

/** Opens what is closed of two paths that change places and of the folders around them; whether anything was. */
export function openedFolders(one: string, other: string) {
  const paths = [`${dirname(one)}/.`, `${dirname(other)}/.`, one, other];
  const opened = paths.flatMap((path) => openedFolder(path) ?? []);
  return {
    isAny: opened.length > 0,
    [Symbol.dispose]() {
      for (const folder of opened.toReversed()) folder[Symbol.dispose]();
    },
  };
}

/** Of exactly this folder, wherever it is afterwards: a link that comes to its path leads nowhere. */
function openedFolder(path: string): Disposable | undefined {
  const file = unlessThrown(() => openSync(path, O_PATH | constants.O_NOFOLLOW));
  if (file === undefined) return undefined;
  const [at, stats] = [`/proc/self/fd/${file}`, fstatSync(file)];
  const mode = stats.mode & RIGHTS;
  const isOpened =
    stats.isDirectory() &&
    openedMode(mode) !== mode &&
    unlessThrown(() => chmodSync(at, openedMode(mode)) ?? true) === true;
  if (!isOpened) {
    closeSync(file);
    return undefined;
  }
  return {
    [Symbol.dispose]() {
      try {
        chmodSync(at, mode);
      } finally {
        closeSync(file);
      }
    },
  };
}
