import { randomBytes } from "node:crypto";
import { mkdirSync, realpathSync, renameSync, rmdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { directories } from "../../environment/directories.ts";
import { errorCode } from "../../files/file-failure.ts";
import { type PinnedFolder, pinFolder } from "../../files/pinned-folder.ts";
import { grantRights } from "../mounts/open-up.ts";

/** What was taken out of the way, and where it is now. */
export interface QuarantinedThing {
  readonly from: string;
  readonly to: string;
}

/** The default folder of the quarantine. */
export function quarantineFolder(): string {
  try {
    return join(directories().state, "quarantine");
  } catch {
    // A user without an entry in the list of users has no home.
    return join(tmpdir(), `toolkeep-quarantine-${process.getuid?.() ?? "unknown"}`);
  }
}

/**
 * Moves something out of a folder that commands write to, into a quarantine; or to a name next to it that no program
 * uses, if it cannot be moved there. Both folders are held meanwhile, so that nothing is moved out of or into another
 * folder. Permissions that are missing to move it are added first.
 * @throws the error of the file system, or ToolFailure `conflict`, if it cannot be moved.
 */
export function quarantine(path: string, folder: string): QuarantinedThing {
  const id = `${new Date().toISOString().replaceAll(":", "")}-${randomBytes(6).toString("hex")}`;
  using around = pinFolder(dirname(path));
  const name = basename(path);
  if (isMoved({ around, name, folder, id })) return { from: path, to: join(folder, id, name) };
  const quarantined = `${name.slice(0, LONGEST_NAME)}.quarantined-${id}`;
  renameSync(around.at(name), around.at(quarantined));
  return { from: path, to: join(dirname(path), quarantined) };
}

/** The rest of the name must fit. */
const LONGEST_NAME = 40;

interface Move {
  readonly around: PinnedFolder;
  readonly name: string;
  readonly folder: string;
  readonly id: string;
}

function isMoved({ around, name, folder, id }: Move): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    using kept = pinFolder(realpathSync.native(folder));
    if (!isOurs(kept)) return false;
    mkdirSync(kept.at(id), { mode: 0o700 });
    using own = pinFolder(join(kept.path, id));
    try {
      moveOut(around, name, own.at(name));
      return true;
    } catch {
      rmdirSync(kept.at(id));
      return false;
    }
  } catch {
    return false;
  }
}

/** A folder of another user, or one that all users may write to, keeps nothing as it is. */
function isOurs(folder: PinnedFolder): boolean {
  const { uid, mode } = statSync(folder.at("."));
  const user = process.getuid?.();
  return user === undefined || ((uid === user || uid === 0) && (mode & 0o002) === 0);
}

/** To be moved, a folder must be open to writing, and so must be the one around it. */
function moveOut(around: PinnedFolder, name: string, heldPath: string): void {
  try {
    renameSync(around.at(name), heldPath);
  } catch (error) {
    if (errorCode(error) !== "EACCES" && errorCode(error) !== "EPERM") throw error;
    for (const closed of [around.at("."), around.at(name)]) tryToGrant(closed);
    renameSync(around.at(name), heldPath);
  }
}

function tryToGrant(heldPath: string): void {
  try {
    grantRights(heldPath);
  } catch {
    // It is the folder of another user: the move says so.
  }
}
