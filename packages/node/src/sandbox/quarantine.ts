import { randomBytes } from "node:crypto";
import { mkdir, rename, rmdir } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { inFolderBeneath } from "./folder-beneath.ts";

/** What was taken out of the way, and where it is now. */
export interface QuarantinedThing {
  readonly from: string;
  readonly to: string;
}

/** Where things go when nobody says otherwise. */
export function quarantineFolder(): string {
  const state = process.env["XDG_STATE_HOME"];
  if (state?.startsWith("/") === true) return join(state, "toolkeep", "quarantine");
  try {
    return join(homedir(), ".local", "state", "toolkeep", "quarantine");
  } catch {
    // A user without an entry in the list of users has no home.
    return join(tmpdir(), `toolkeep-quarantine-${process.getuid?.() ?? "unknown"}`);
  }
}

/**
 * Moves something out of a folder that commands write to, into a quarantine; or beside itself, under a name
 * that nothing obeys, where the quarantine is on another file system. Nothing else is ever moved in its place.
 * @throws the error of the file system when it cannot be moved.
 */
export async function quarantine(path: string, root: string, folder: string): Promise<QuarantinedThing> {
  const id = `${new Date().toISOString().replaceAll(":", "")}-${randomBytes(6).toString("hex")}`;
  const name = basename(path);
  const to = join(folder, id, name);
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  return inFolderBeneath(root, dirname(path), async (within) => {
    const from = join(within, name);
    if (await isMoved(from, to)) return { from: path, to };
    await rmdir(dirname(to));
    const beside = `${name}.quarantined-${id}`;
    await rename(from, join(within, beside));
    return { from: path, to: join(dirname(path), beside) };
  });
}

async function isMoved(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EXDEV") return false;
    throw error;
  }
}
