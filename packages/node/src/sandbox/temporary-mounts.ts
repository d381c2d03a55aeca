import { chownSync, closeSync, constants, lstatSync, openSync, unlinkSync } from "node:fs";
import { isBeneath } from "@toolkeep/core/internal";
import type { Mount } from "./mount-plan.ts";
import type { SandboxUser } from "./sandbox-user.ts";

/** The names under which a command sees the folder for temporary files. */
export const TEMPORARY_NAMES: readonly string[] = ["/tmp", "/var/tmp"];

/**
 * Makes the session's folder for temporary files ready to be seen as `/tmp`: it belongs to the user that the command
 * runs as, and nothing in it is in the way of what is mounted there.
 */
export function prepareTemporary(
  folder: string | undefined,
  mounts: readonly Mount[],
  user: SandboxUser | undefined,
): void {
  if (folder === undefined) return;
  if (user !== undefined) giveTo(folder, user);
  for (const { path } of mounts) {
    const name = TEMPORARY_NAMES.find((one) => isBeneath(path, one));
    if (name !== undefined) clearWay(folder, path.slice(name.length + 1).split("/"));
  }
}

/** Only root can give it away, and only root has to. */
function giveTo(folder: string, { uid, gid }: SandboxUser): void {
  const owner = lstatSync(folder);
  if (owner.uid !== uid || owner.gid !== gid) chownSync(folder, uid, gid);
}

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Removes links and files on the way to where something is mounted: a mount follows them. Each folder is held while the next
 * is looked at. What is put there afterwards is noticed once everything is mounted.
 */
function clearWay(folder: string, names: readonly string[]): void {
  let held = openSync(folder, FOLDER);
  try {
    for (const [index, name] of names.entries()) {
      const at = `/proc/self/fd/${held}/${name}`;
      const stats = lstatSync(at, { throwIfNoEntry: false });
      if (stats === undefined) return;
      if (stats.isSymbolicLink() || (!stats.isDirectory() && index < names.length - 1)) unlinkSync(at);
      if (!stats.isDirectory()) return;
      const next = openSync(at, FOLDER);
      closeSync(held);
      held = next;
    }
  } catch {
    // It was changed meanwhile, and the check of the mounts refuses the command.
  } finally {
    closeSync(held);
  }
}
