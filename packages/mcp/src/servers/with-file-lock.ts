import { open, rm, stat } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { ToolkeepError } from "@toolkeep/core";

const STALE_MS = 10_000;
const LONGEST_WAIT_MS = 15_000;
const PAUSE_MS = 15;

/**
 * Runs something while no other process does the same. What it guards must be short: a lock that is older than
 * ten seconds counts as left behind by a process that died.
 */
export async function withFileLock(lock: string, run: () => Promise<void>): Promise<void> {
  await acquire(lock);
  try {
    await run();
  } finally {
    await rm(lock, { force: true });
  }
}

async function acquire(lock: string): Promise<void> {
  const until = performance.now() + LONGEST_WAIT_MS;
  while (!(await take(lock))) {
    if (performance.now() > until) {
      throw new ToolkeepError(
        "invalid_option",
        `${lock} is held by another process. Remove it if there is none.`,
      );
    }
    if (await isStale(lock)) await rm(lock, { force: true });
    else await wait(PAUSE_MS * (0.5 + Math.random()));
  }
}

async function take(lock: string): Promise<boolean> {
  try {
    await (await open(lock, "wx", 0o600)).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function isStale(lock: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(lock)).mtimeMs > STALE_MS;
  } catch {
    return false;
  }
}
