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
import { O_PATH, type PinnedFolder, pinFolder } from "../files/pinned-folder.ts";

/**
 * Gives ourselves every right to a folder, and names that are text to what counts in it, so that it can be
 * looked into. No link is followed. Says whether that worked.
 */
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

/**
 * Adds what the owner of a folder may do, and does nothing to what is no folder.
 * @throws the error of the file system, as for the folder of another user.
 */
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
 * Changes who may do what with the very thing that was looked at, and with no other one that is put in its place.
 * Nothing is changed where no mode is said.
 * @throws the error of the file system, as for what belongs to another user.
 */
export function changeMode(heldPath: string, modeFor: (stats: Stats) => number | undefined): void {
  if (process.platform === "linux") changeHeld(heldPath, modeFor);
  else changeByName(heldPath, modeFor);
}

function changeHeld(heldPath: string, modeFor: (stats: Stats) => number | undefined): void {
  // Holds a thing without reading it, which takes no right to it.
  const thing = openSync(heldPath, O_PATH | constants.O_NOFOLLOW);
  try {
    const mode = modeFor(fstatSync(thing));
    // A descriptor of this kind has no `fchmod`; its name leads to the very thing it stands for.
    if (mode !== undefined) chmodSync(`/proc/self/fd/${thing}`, mode);
  } finally {
    closeSync(thing);
  }
}

/**
 * For macOS, where nothing can be held without a right to read it. Weaker: no link is followed, but something else may
 * be put in the place of what was looked at. Untested.
 */
function changeByName(heldPath: string, modeFor: (stats: Stats) => number | undefined): void {
  const mode = modeFor(lstatSync(heldPath));
  if (mode !== undefined) lchmodSync(heldPath, mode);
}

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
