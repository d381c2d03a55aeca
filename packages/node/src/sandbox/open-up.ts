import { isUtf8 } from "node:buffer";
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { chmod, open, readdir, rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { inFolderBeneath } from "./folder-beneath.ts";

/** Holds a thing without reading it, which takes no right to it. */
const THING_ITSELF = 0o10000000 | constants.O_NOFOLLOW;

/**
 * Gives ourselves every right to a folder, and names that are text to the folders in it, so that it can be
 * looked into. No link is followed. Says whether that worked.
 */
export async function openUp(root: string, path: string): Promise<boolean> {
  try {
    await (path === root
      ? grantRights(path)
      : inFolderBeneath(root, dirname(path), (within) => grantRights(join(within, basename(path)))));
    await inFolderBeneath(root, path, nameFolders);
    return true;
  } catch {
    return false;
  }
}

/**
 * Adds what the owner of a folder may do, and does nothing to what is no folder.
 * @throws the error of the file system, as for the folder of somebody else.
 */
export async function grantRights(path: string): Promise<void> {
  const thing = await open(path, THING_ITSELF);
  try {
    const stats = await thing.stat();
    if (stats.isDirectory()) await chmod(`/proc/self/fd/${thing.fd}`, (stats.mode & 0o7777) | 0o700);
  } finally {
    await thing.close();
  }
}

async function nameFolders(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true, encoding: "buffer" });
  for (const entry of entries) {
    if (isUtf8(entry.name) || !entry.isDirectory()) continue;
    const name = `not-text-${entry.name.toString("hex").slice(0, 32)}-${randomBytes(6).toString("hex")}`;
    await rename(Buffer.concat([Buffer.from(`${folder}/`), entry.name]), join(folder, name));
  }
}
