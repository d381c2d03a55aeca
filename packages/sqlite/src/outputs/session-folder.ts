import { createHash, randomBytes } from "node:crypto";
import { constants, readFileSync } from "node:fs";
import { lstat, mkdir, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { ToolkeepError } from "@toolkeep/core";

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_WRONLY } = constants;

/** A link is never followed, and a pipe is never waited for. */
export const READ_FILE = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
export const NEW_FILE = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW;

/** The folder of one session has this name, and nothing else there does. */
export const SESSION_NAME = /^[0-9a-f]{40}$/;

export function sessionName(sessionId: string): string {
  return createHash("sha256").update(sessionId).digest("hex").slice(0, 40);
}

export function randomName(): string {
  return randomBytes(16).toString("hex");
}

/**
 * Makes the folder of a session, for us alone, and says in it that this process uses it.
 * @throws ToolkeepError `invalid_option` if it is a link, belongs to somebody else or is open to others.
 */
export async function openSessionFolder(folder: string, sessionId: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await assertOurs(folder, 0o022);
  const path = join(folder, sessionName(sessionId));
  // A sweep may take an old folder away between two of our steps.
  await moveIn(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return moveIn(path);
  });
}

async function moveIn(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch(unlessExists);
  await assertOurs(path, 0o077);
  const life = await open(join(path, lifeName(process.pid)), NEW_FILE, 0o600).catch(unlessExists);
  await life?.close();
}

/** How many bytes the files in a folder have together. */
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
  // Where there are no users and modes of this kind, what protects the folder itself has to do.
  const isPrivate = self === undefined || (stat.uid === self && (stat.mode & forbidden) === 0);
  if (stat.isDirectory() && isPrivate) return;
  throw new ToolkeepError(
    "invalid_option",
    `The sidecar's folder ${path} must be a folder of our own that nobody else may write to, and no link.`,
  );
}

function unlessExists(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
}

const LIFE = /^live-(\d+)-([\w.]+)$/;

/** Says who lives in the folder: the process and when it started, so that its number alone proves nothing. */
function lifeName(pid: number): string {
  return `live-${pid}-${processStart(pid) ?? "unknown"}`;
}

/** Whether a process that uses the folder is still there. What cannot be told counts as there. */
export async function isLivedIn(path: string): Promise<boolean> {
  const names = await readdir(path);
  return names.some((name) => {
    const [, pid, start] = LIFE.exec(name) ?? [];
    return pid !== undefined && isThere(Number(pid), start ?? "unknown");
  });
}

function isThere(pid: number, start: string): boolean {
  const now = processStart(pid);
  if (now !== undefined && start !== "unknown") return now === start;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** The machine's own start counts, too: ticks begin anew with it. */
function processStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").slice(0, 8);
    return `${boot}.${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]}`;
  } catch {
    return undefined;
  }
}
