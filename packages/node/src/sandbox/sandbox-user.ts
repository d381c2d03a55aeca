import { statSync } from "node:fs";
import { dirname } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import type { SandboxProfile } from "@toolkeep/core/ports";

export interface SandboxUser {
  readonly uid: number;
  readonly gid: number;
}

const NOBODY: SandboxUser = { uid: 65_534, gid: 65_534 };

/**
 * The user a command runs as: the user of this process, unless that is root. Then it is `runAs`, or the owner of the
 * first folder it may change. If it may change nothing, it is the owner of the first it may read, or instead of root
 * the user nobody.
 * @throws ToolFailure `unavailable` if that is root again, or a user who cannot reach a folder.
 */
export function sandboxUser(
  profile: Pick<SandboxProfile, "read" | "write">,
  runAs: SandboxUser | undefined,
): SandboxUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const user = runAs ?? ownerOf(profile.write) ?? readerOf(profile.read);
  if (user.uid === 0 || user.gid === 0) throw asRoot(profile.write[0]);
  for (const path of [...profile.read, ...profile.write]) checkOpen(path, user);
  return user;
}

function ownerOf(paths: readonly string[]): SandboxUser | undefined {
  for (const path of paths) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats !== undefined) return { uid: stats.uid, gid: stats.gid };
  }
  return undefined;
}

function readerOf(paths: readonly string[]): SandboxUser {
  const owner = ownerOf(paths);
  return owner === undefined || owner.uid === 0 || owner.gid === 0 ? NOBODY : owner;
}

function asRoot(path: string | undefined): ToolFailure {
  return new ToolFailure(
    "unavailable",
    `A sandboxed command never runs as root, and ${path ?? "the workspace"} belongs to root.`,
    { hint: "Give the folder to an ordinary user (chown), or name one with the sandbox's option `runAs`." },
  );
}

/** The user must be able to pass every folder above; access lists are not looked at. */
function checkOpen(path: string, user: SandboxUser): void {
  for (let folder = dirname(path); folder !== "/"; folder = dirname(folder)) {
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (stats === undefined) continue;
    const { uid, gid, mode } = stats;
    const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
    if (((mode >> shift) & 1) === 1) continue;
    throw new ToolFailure(
      "unavailable",
      `The command would run as user ${user.uid}, to whom ${folder} is closed.`,
      { hint: "Move the workspace out of that folder, open the folder, or name another user with `runAs`." },
    );
  }
}
