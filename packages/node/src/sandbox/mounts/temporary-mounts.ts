import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  lstatSync,
  openSync,
  realpathSync,
  unlinkSync,
} from "node:fs";
import { join } from "node:path";
import { isBeneath } from "@toolkeep/core/internal";
import { TEMPORARY_NAMES } from "../../environment/temporary-folders.ts";
import { holdFolder, pinFolder } from "../../files/pinned-folder.ts";
import type { SandboxUser } from "../host/sandbox-user.ts";
import type { Mount } from "./mount-plan.ts";

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
function giveTo(path: string, { uid, gid }: SandboxUser): void {
  const before = lstatSync(path);
  if (before.isDirectory() && before.uid === uid && before.gid === gid) return;
  using folder = holdFolder(path);
  const opened = openSync(folder.at("."), FOLDER);
  try {
    const owner = fstatSync(opened);
    if (owner.uid !== uid || owner.gid !== gid) fchownSync(opened, uid, gid);
  } finally {
    closeSync(opened);
  }
}

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Removes links and files on the way to where something is mounted: a mount follows them. Each folder is held while a
 * name in it is looked at. What is put there afterwards is noticed once everything is mounted.
 */
function clearWay(path: string, names: readonly string[]): void {
  try {
    const top = realpathSync.native(path);
    for (const [index, name] of names.entries()) {
      using folder = pinFolder(join(top, ...names.slice(0, index)));
      const stats = lstatSync(folder.at(name), { throwIfNoEntry: false });
      if (stats === undefined) return;
      if (stats.isSymbolicLink() || (!stats.isDirectory() && index < names.length - 1))
        unlinkSync(folder.at(name));
      if (!stats.isDirectory()) return;
    }
  } catch {
    // It was changed meanwhile, and the check of the mounts refuses the command.
  }
}
