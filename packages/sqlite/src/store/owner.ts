import { randomUUID } from "node:crypto";
import { existsSync, lstatSync, readdirSync, renameSync, rmSync } from "node:fs";
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

  /**
   * Must be called before a lease is written in this name. The file gets its name when the lock is held: under a name
   * that others look at, it is never without an owner.
   */
  appear(): void {
    if (this.#lock !== undefined) return;
    const made = ownFile(this.#folder, `.${this.token}${UNNAMED}`);
    const lock = new DatabaseSync(made, { timeout: 0 });
    // Nothing is ever written to it: a file for undoing that would only be left behind.
    lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    renameSync(made, join(this.#folder, this.token));
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
    for (const name of readdirSync(this.#folder)) {
      if (!name.endsWith(UNNAMED)) this.isAlive(name);
      else if (isOlderThan(join(this.#folder, name), UNNAMED_MS))
        rmSync(join(this.#folder, name), { force: true });
    }
  }

  /** Must be called after the last lease was given back. */
  leave(): void {
    if (this.#lock === undefined) return;
    this.#lock.close();
    this.#lock = undefined;
    rmSync(join(this.#folder, this.token), { force: true });
  }
}

/** Of a file that is being made. A process that was killed there left it; naming it takes no time. */
const UNNAMED = ".new";
const UNNAMED_MS = 3_600_000;

function isOlderThan(path: string, milliseconds: number): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs > milliseconds;
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
