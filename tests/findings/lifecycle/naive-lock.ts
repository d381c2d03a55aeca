import { open, rm, stat } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

/** A lock that is a file, and left behind when it is old: the way that has two holders after a crash. A control. */
export function naiveLock(staleMs: number) {
  return async (lock: string, run: () => Promise<void>): Promise<void> => {
    while (!(await take(lock))) {
      if (await isStale(lock, staleMs)) await rm(lock, { force: true });
      else await wait(Math.random() * 3);
    }
    try {
      await run();
    } finally {
      await rm(lock, { force: true });
    }
  };
}

async function take(lock: string): Promise<boolean> {
  try {
    await (await open(lock, "wx", 0o600)).close();
    return true;
  } catch {
    return false;
  }
}

async function isStale(lock: string, staleMs: number): Promise<boolean> {
  try {
    return Date.now() - (await stat(lock)).mtimeMs > staleMs;
  } catch {
    return false;
  }
}
