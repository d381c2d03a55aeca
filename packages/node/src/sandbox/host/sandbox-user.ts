import { statSync } from "node:fs";
import { dirname } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import { isWithin } from "@toolkeep/core/internal";
import type { SandboxProfile } from "@toolkeep/core/ports";

export interface SandboxUser {
  readonly uid: number;
  readonly gid: number;
}

/** The user nobody. */
const WITHOUT_RIGHTS: SandboxUser = { uid: 65_534, gid: 65_534 };

/**
 * The user a command runs as: the user of this process, unless that is root. Then it is `runAs`, or the owner of the
 * first folder it may change. If it may change nothing, it is the owner of the first it may read, or instead of root
 * the user nobody. With `mayBeRoot` it is root where the folder belongs to root.
 * @throws ToolFailure `unavailable` if that is root and may not be, or a user who cannot reach a folder.
 */
export function sandboxUser(
  profile: Pick<SandboxProfile, "read" | "write" | "cwd">,
  runAs: SandboxUser | undefined,
  mayBeRoot = false,
): SandboxUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const user = runAs ?? ownerOf(profile.write) ?? readerOf(profile, mayBeRoot);
  if (mayBeRoot && isRoot(user)) return { uid: 0, gid: 0 };
  if (isRoot(user)) throw asRoot(profile.write[0]);
  for (const path of [...profile.read, ...profile.write]) checkOpen(path, user);
  return user;
}

const SYSTEM = /^\/usr(?:\/local)?$/;

function isRoot({ uid, gid }: SandboxUser): boolean {
  return uid === 0 || gid === 0;
}

function ownerOf(paths: readonly string[]): SandboxUser | undefined {
  for (const path of paths) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats !== undefined) return { uid: stats.uid, gid: stats.gid };
  }
  return undefined;
}

/** To git a repository of another user is suspect: where root may run commands, it also reads its own folders. */
function readerOf({ read, cwd }: Pick<SandboxProfile, "read" | "cwd">, mayBeRoot: boolean): SandboxUser {
  const here = read.filter((path) => isWithin(cwd, path) && !SYSTEM.test(path));
  const owner = ownerOf(mayBeRoot && here.length > 0 ? here : read);
  if (mayBeRoot && here.length > 0 && owner !== undefined) return owner;
  return owner === undefined || isRoot(owner) ? WITHOUT_RIGHTS : owner;
}

function asRoot(path: string | undefined): ToolFailure {
  return new ToolFailure(
    "unavailable",
    `A sandboxed command never runs as root, and ${path ?? "the workspace"} belongs to root.`,
    { hint: "Give the folder to an ordinary user (chown), or name one with the sandbox's option `runAs`." },
  );
}

function checkOpen(path: string, user: SandboxUser): void {
  const folder = closedFolder(path, user);
  if (folder === undefined) return;
  throw new ToolFailure(
    "unavailable",
    `The command would run as user ${user.uid}, to whom ${folder} is closed.`,
    { hint: "Move the workspace out of that folder, open the folder, or name another user with `runAs`." },
  );
}

/** A folder above that the user cannot pass; access lists are not looked at. */
export function closedFolder(path: string, user: SandboxUser): string | undefined {
  for (let folder = dirname(path); folder !== "/"; folder = dirname(folder)) {
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (stats === undefined) continue;
    const { uid, gid, mode } = stats;
    const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
    if (((mode >> shift) & 1) === 0) return folder;
  }
  return undefined;
}
