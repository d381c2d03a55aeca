import { createHash, randomBytes } from "node:crypto";
import { constants, readFileSync } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { invalidOption } from "@toolkeep/core/internal";

const {
  O_APPEND,
  O_CREAT,
  O_DIRECTORY = 0,
  O_EXCL,
  O_NOFOLLOW = 0,
  O_NONBLOCK = 0,
  O_RDONLY,
  O_WRONLY,
} = constants;

/** Never follows a link, and never waits for a pipe. */
export const READ_FILE = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
export const NEW_FILE = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW;

/** Only folders of sessions have a name of this form. */
export const SESSION_NAME = /^[0-9a-f]{40}$/;

export function sessionName(sessionId: string): string {
  return createHash("sha256").update(sessionId).digest("hex").slice(0, 40);
}

export function randomName(): string {
  return randomBytes(16).toString("hex");
}

/**
 * Creates the folder of a session, closed to other users, and records in it that this process uses it.
 * @throws ToolkeepError `invalid_option` if it is a link, belongs to another user or is open to others.
 */
export async function openSessionFolder(folder: string, sessionId: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await assertOurs(folder, 0o022);
  const path = join(folder, sessionName(sessionId));
  // A sweep can remove an old folder between creating it and recording this process in it.
  await claimFolder(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return claimFolder(path);
  });
}

async function claimFolder(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch(unlessExists);
  await assertOurs(path, 0o077);
  const marker = await open(join(path, markerName(process.pid)), NEW_FILE, 0o600).catch(unlessExists);
  await marker?.close();
}

/** The size of all files in a folder. */
export async function sizesIn(path: string): Promise<number> {
  const sizes = (await readdir(path)).map((name) =>
    lstat(join(path, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function assertOurs(path: string, forbidden: number): Promise<void> {
  const stat = await lstat(path);
  const self = process.getuid?.();
  // Windows has no users and modes of this kind: the permissions of the folder itself apply.
  const isPrivate = self === undefined || (stat.uid === self && (stat.mode & forbidden) === 0);
  if (stat.isDirectory() && isPrivate) return;
  throw invalidOption(
    `The output folder ${path} must be a real folder (not a link) that belongs to this user and that no other user can write to.`,
  );
}

function unlessExists(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
}

const MARKER = /^live-(\d+)-([\w.]+)$/;

/** Names a process and its start time: the process id alone can be reused. */
function markerName(pid: number): string {
  return `live-${pid}-${processStart(pid) ?? "unknown"}`;
}

/** Whether a process that uses the folder still runs. When that cannot be determined, the answer is yes. */
export async function isInUse(path: string): Promise<boolean> {
  const names = await readdir(path);
  return names.some((name) => {
    const [, pid, start] = MARKER.exec(name) ?? [];
    return pid !== undefined && isRunning(Number(pid), start ?? "unknown");
  });
}

function isRunning(pid: number, start: string): boolean {
  const now = processStart(pid);
  if (now !== undefined && start !== "unknown") return now === start;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Includes the boot id: start times count from boot. */
function processStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").slice(0, 8);
    return `${boot}.${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]}`;
  } catch {
    return undefined;
  }
}

/** Removes a session's folder, if only files and links are in it. Follows no link. Returns whether it is gone. */
export async function removeFolder(path: string): Promise<boolean> {
  const folder = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(() => undefined);
  if (folder === undefined) return isMissing(path);
  try {
    const stable = await stablePathOf(folder, path);
    for (const entry of await readdir(stable, { withFileTypes: true }))
      if (!entry.isDirectory()) await unlink(`${stable}/${entry.name}`);
  } finally {
    await folder.close();
  }
  return rmdir(path).then(
    () => true,
    () => false,
  );
}

/** Goes through the open handle where the system allows it, so that a replaced folder is not touched. */
async function stablePathOf(folder: FileHandle, path: string): Promise<string> {
  const [own, opened] = [`/proc/self/fd/${folder.fd}`, await folder.stat()];
  const through = await lstat(`${own}/.`).catch(() => undefined);
  return through?.ino === opened.ino && through.dev === opened.dev ? own : path;
}

function isMissing(path: string): Promise<boolean> {
  return lstat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === "ENOENT",
  );
}
