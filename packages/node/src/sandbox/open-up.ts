import { isUtf8 } from "node:buffer";
import { randomBytes } from "node:crypto";
import { readdirSync, renameSync } from "node:fs";
import { basename, dirname } from "node:path";
import { isProtectedName } from "@toolkeep/core/internal";
import { type PinnedFolder, pinFolder } from "../files/pinned-folder.ts";
import { changeMode } from "./change-mode.ts";

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
export function grantRights(place: string): void {
  changeMode(place, (stats) => (stats.isDirectory() ? (stats.mode & 0o7777) | 0o700 : undefined));
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
