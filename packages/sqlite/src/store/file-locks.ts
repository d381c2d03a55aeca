import { createHash } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { ProcessLocks } from "@toolkeep/core/internal";
import type { AcquireOptions, HeldLocks, SharedLocks } from "@toolkeep/core/journal";
import { ownFile, ownFolder } from "./store-folder.ts";

/** How often a process looks whether another one has given a lock back. */
const POLL_MS = 25;

/**
 * Locks among the processes that have a store open: a file for each name, which the kernel unlocks when its process
 * ends. Within a process they are given in the order they were asked for, so one caller at most polls a file.
 */
export class FileLocks implements SharedLocks {
  readonly #folder: string;
  readonly #within = new ProcessLocks();

  constructor(storeFolder: string) {
    this.#folder = join(storeFolder, "locks");
  }

  async acquire(names: readonly string[], options: AcquireOptions): Promise<HeldLocks | undefined> {
    const queued = await this.#within.acquire(names, options);
    if (queued === undefined) return undefined;
    const held: FileLock[] = [];
    const release = () => {
      for (const lock of held.splice(0).toReversed()) lock.release();
      return queued.release();
    };
    try {
      for (const name of names) {
        const lock = await this.#lock(name, options);
        if (lock === undefined) break;
        held.push(lock);
      }
    } catch (error) {
      await release();
      throw error;
    }
    if (held.length === names.length) return { release };
    await release();
    return undefined;
  }

  async #lock(name: string, { signal, wait = true }: AcquireOptions): Promise<FileLock | undefined> {
    const file = ownFile(ownFolder(this.#folder), createHash("sha256").update(name).digest("hex"));
    for (;;) {
      if (signal.aborted) return undefined;
      const lock = FileLock.take(file);
      if (lock !== undefined || !wait) return lock;
      await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** A lock on one file, by a transaction that writes nothing. */
class FileLock {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** `undefined` while another process has it. */
  static take(file: string): FileLock | undefined {
    const db = new DatabaseSync(file, { timeout: 0 });
    try {
      db.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
      return new FileLock(db);
    } catch (error) {
      db.close();
      if (isBusy(error)) return undefined;
      throw error;
    }
  }

  release(): void {
    this.#db.close();
  }
}

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  const code = (error as { readonly errcode?: unknown } | undefined)?.errcode;
  return typeof code === "number" && code % 256 === SQLITE_BUSY;
}
