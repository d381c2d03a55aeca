import { randomBytes } from "node:crypto";
import { mkdir, rename, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { places } from "../config/places.ts";
import { inFolderBeneath } from "./folder-beneath.ts";
import { grantRights } from "./open-up.ts";

/** What was taken out of the way, and where it is now. */
export interface QuarantinedThing {
  readonly from: string;
  readonly to: string;
}

/** Where things go when nobody says otherwise. */
export function quarantineFolder(): string {
  try {
    return join(places().state, "quarantine");
  } catch {
    // A user without an entry in the list of users has no home.
    return join(tmpdir(), `toolkeep-quarantine-${process.getuid?.() ?? "unknown"}`);
  }
}

/**
 * Moves something out of a folder that commands write to, into a quarantine; or beside itself, under a name
 * that nothing obeys, where it cannot be moved there. Nothing else is ever moved in its place. Rights that
 * whoever made it left out are added first where they are missing.
 * @throws the error of the file system when it cannot be moved.
 */
export async function quarantine(path: string, root: string, folder: string): Promise<QuarantinedThing> {
  const id = `${new Date().toISOString().replaceAll(":", "")}-${randomBytes(6).toString("hex")}`;
  const name = basename(path);
  const to = join(folder, id, name);
  return inFolderBeneath(root, dirname(path), async (within) => {
    const from = join(within, name);
    if (await isMoved(from, to)) return { from: path, to };
    const beside = `${name.slice(0, LONGEST_NAME)}.quarantined-${id}`;
    await rename(from, join(within, beside));
    return { from: path, to: join(dirname(path), beside) };
  });
}

/** There must be room for the rest of the name. */
const LONGEST_NAME = 40;

/** To be moved, a folder must be open to writing, and so must be the one around it. */
async function isMoved(from: string, to: string): Promise<boolean> {
  try {
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    await rename(from, to).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== "EACCES" && error.code !== "EPERM") throw error;
      await grantRights(`${dirname(from)}/.`).catch(() => {});
      await grantRights(from).catch(() => {});
      await rename(from, to);
    });
    return true;
  } catch {
    await rmdir(dirname(to)).catch(() => {});
    return false;
  }
}
