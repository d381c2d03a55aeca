import { isUtf8 } from "node:buffer";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lchmodSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  type Stats,
  unlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { isProtectedName } from "@toolkeep/core/internal";
import { O_PATH, type PinnedFolder, pinFolder } from "../../files/pinned-folder.ts";

/** Makes a folder readable for this process, with valid names. Follows no link. Returns whether that worked. */
export function openUp(path: string): boolean {
  try {
    using around = pinFolder(dirname(path));
    grantRights(around.at(basename(path)));
    using folder = pinFolder(path);
    nameAsText(folder);
    return true;
  } catch {
    return false;
  }
}

/** Adds what a folder's owner may do, and does nothing where it is no folder. @throws for a folder of another user. */
export function grantRights(heldPath: string): void {
  changeMode(heldPath, (stats) => (stats.isDirectory() ? (stats.mode & 0o7777) | 0o700 : undefined));
}

function nameAsText(folder: PinnedFolder): void {
  const entries = readdirSync(folder.at("."), { withFileTypes: true, encoding: "buffer" });
  for (const entry of entries) {
    const counts = !entry.isFile() || isProtectedName(entry.name.toString());
    if (isUtf8(entry.name) || !counts) continue;
    const name = `not-text-${entry.name.toString("hex").slice(0, 32)}-${randomBytes(6).toString("hex")}`;
    renameSync(Buffer.concat([Buffer.from(folder.at("")), entry.name]), folder.at(name));
  }
}

/**
 * Changes the mode of exactly the entry that was examined, and not of one that replaced it. Changes nothing if no mode
 * is given.
 * @throws the error of the file system, as for what belongs to another user.
 */
export function changeMode(heldPath: string, modeFor: (stats: Stats) => number | undefined): void {
  if (process.platform === "linux") changeHeld(heldPath, modeFor);
  else changeByName(heldPath, modeFor);
}

function changeHeld(heldPath: string, modeFor: (stats: Stats) => number | undefined): void {
  // Holds an entry without reading it, which takes no permission for it.
  const thing = openSync(heldPath, O_PATH | constants.O_NOFOLLOW);
  try {
    const mode = modeFor(fstatSync(thing));
    // A descriptor of this kind has no `fchmod`; its name in /proc leads to exactly the entry it was opened for.
    if (mode !== undefined) chmodSync(`/proc/self/fd/${thing}`, mode);
  } finally {
    closeSync(thing);
  }
}

/**
 * For macOS, where nothing can be held without permission to read it. Weaker: no link is followed, but something else
 * may replace what was examined. Untested.
 */
function changeByName(heldPath: string, modeFor: (stats: Stats) => number | undefined): void {
  const mode = modeFor(lstatSync(heldPath));
  if (mode !== undefined) lchmodSync(heldPath, mode);
}

/**
 * Removes a folder and its content, each name in its held folder and without following links: other users may have put
 * things there, and may exchange them meanwhile.
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
