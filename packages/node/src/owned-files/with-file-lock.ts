import { randomUUID } from "node:crypto";
import { existsSync, linkSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { invalidOption } from "@toolkeep/core/internal";

const LONGEST_WAIT_MS = 15_000;
const PAUSE_MS = 15;

/**
 * Runs something while no other process, and nothing else in this one, holds the same lock. It is a lock of the kernel
 * on a file that stays: it ends with the process, however that ends, and is never considered stale however long it is
 * held. SQLite takes it, because Node has no call of its own for that.
 * @throws ToolkeepError `invalid_option` if another process holds the lock for longer than 15 seconds.
 */
export async function withFileLock<Result>(lock: string, run: () => Promise<Result>): Promise<Result> {
  const held = await acquire(lock);
  try {
    return await run();
  } finally {
    held.close();
  }
}

async function acquire(lock: string): Promise<DatabaseSync> {
  const until = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    const held = takeFileLock(lock);
    if (held !== undefined) return held;
    if (performance.now() > until)
      throw invalidOption(
        `${lock} is held by another process. Wait until that process has ended, or end it.`,
      );
    await wait(PAUSE_MS * (0.5 + Math.random()));
  }
}

/** Takes the lock until it is closed; `undefined` if another holds it. Writes nothing to the file. */
export function takeFileLock(lock: string): DatabaseSync | undefined {
  createEmpty(lock);
  const database = new DatabaseSync(lock, { timeout: 0 });
  try {
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database.close();
    const { errcode = 0 } = error as { readonly errcode?: number };
    if ((errcode & PRIMARY_CODE) === SQLITE_BUSY) return undefined;
    throw error;
  }
}

const SQLITE_BUSY = 5;
/** The other bits of a code only give more detail. */
const PRIMARY_CODE = 0xff;

/** Creates the file by a link and never opens it if it exists: closing any handle of a file loses its locks. */
function createEmpty(lock: string): void {
  if (existsSync(lock)) return;
  const draft = `${lock}.${randomUUID()}`;
  writeFileSync(draft, "", { mode: 0o600, flag: "wx" });
  try {
    linkSync(draft, lock);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
