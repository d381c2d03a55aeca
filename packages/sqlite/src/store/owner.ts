import { randomUUID } from "node:crypto";
import { existsSync, lstatSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ownFile, ownFolder } from "./store-folder.ts";

/**
 * The owner of the leases of one open store. It is alive while the kernel holds its file lock, which ends with the
 * process, however that ends. Unlike a process id, the name is never reused, and other containers see it too.
 */
export class Owner {
  readonly token: string = randomUUID();
  readonly #folder: string;
  #lock: DatabaseSync | undefined;

  constructor(storeFolder: string) {
    this.#folder = ownFolder(join(storeFolder, "owners"));
  }

  /** To be called before a lease has this token. The file is renamed once it is locked: no one sees it unlocked. */
  appear(): void {
    if (this.#lock !== undefined) return;
    const made = ownFile(this.#folder, `.${this.token}${UNNAMED}`);
    const lock = new DatabaseSync(made, { timeout: 0 });
    // Nothing is ever written to it, so it needs no rollback file, which would stay behind.
    lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    renameSync(made, join(this.#folder, this.token));
    this.#lock = lock;
  }

  /** Whether that owner is alive. If that cannot be determined, it is. */
  isAlive(token: string): boolean {
    if (token === this.token) return true;
    if (!TOKEN.test(token)) return false;
    const path = join(this.#folder, token);
    if (!existsSync(path)) return false;
    if (isLocked(path)) return true;
    rmSync(path, { force: true });
    return false;
  }

  /** Removes the files of owners that have ended. */
  sweep(): void {
    for (const name of readdirSync(this.#folder)) {
      if (!name.endsWith(UNNAMED)) this.isAlive(name);
      else if (isOlderThan(join(this.#folder, name), UNNAMED_MS))
        rmSync(join(this.#folder, name), { force: true });
    }
  }

  /** Must be called after the last lease was released. */
  leave(): void {
    if (this.#lock === undefined) return;
    this.#lock.close();
    this.#lock = undefined;
    rmSync(join(this.#folder, this.token), { force: true });
  }
}

/** Suffix of a file without its final name. Renaming is immediate, so an old one is left from a killed process. */
const UNNAMED = ".new";
const UNNAMED_MS = 3_600_000;

function isOlderThan(path: string, milliseconds: number): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs > milliseconds;
}

const TOKEN = /^[0-9a-f-]{36}$/;

/** Tests the lock without taking it, so that several processes can test at once. */
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
