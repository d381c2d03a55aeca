import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ownFile, ownFolder } from "./store-folder.ts";

/**
 * Who holds the leases of one open store. Alive means: the kernel holds a lock for it, which goes with
 * the process, however that ends. Unlike a process id it is never used again, and it is seen from
 * another container too.
 */
export class Owner {
  readonly token: string = randomUUID();
  readonly #folder: string;
  #lock: DatabaseSync | undefined;

  constructor(storeFolder: string) {
    this.#folder = ownFolder(join(storeFolder, "owners"));
  }

  /** Must be called before a lease is written in this name. */
  appear(): void {
    if (this.#lock !== undefined) return;
    const lock = new DatabaseSync(ownFile(this.#folder, this.token), { timeout: 0 });
    // Nothing is ever written to it: a file for undoing that would only be left behind.
    lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    this.#lock = lock;
  }

  /** Whether that owner still lives. One that cannot be judged does. */
  isAlive(token: string): boolean {
    if (token === this.token) return true;
    if (!TOKEN.test(token)) return false;
    const path = join(this.#folder, token);
    if (!existsSync(path)) return false;
    if (isLocked(path)) return true;
    rmSync(path, { force: true });
    return false;
  }

  /** Removes what owners left behind that are gone. */
  sweep(): void {
    for (const token of readdirSync(this.#folder)) this.isAlive(token);
  }

  /** Must be called after the last lease was given back. */
  leave(): void {
    if (this.#lock === undefined) return;
    this.#lock.close();
    this.#lock = undefined;
    rmSync(join(this.#folder, this.token), { force: true });
  }
}

const TOKEN = /^[0-9a-f-]{36}$/;

/** Looks without taking the lock: several may look at once. */
function isLocked(path: string): boolean {
  try {
    const probe = new DatabaseSync(path, { readOnly: true, timeout: 0 });
    try {
      probe.prepare("SELECT count(*) FROM sqlite_schema").get();
      return false;
    } finally {
      probe.close();
    }
  } catch {
    return true;
  }
}
