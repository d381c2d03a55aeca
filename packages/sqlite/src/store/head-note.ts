import { hash } from "node:crypto";
import { closeSync, constants, openSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { WriteSettings } from "./database.ts";

/** The next event of a session, and the hash of its last batch. */
export interface NotedHead {
  readonly nextSeq: number;
  readonly head: string;
}

const NOTE = /^(\d{16}) ([0-9a-f]{64})\n$/;
const LENGTH = 16 + 1 + 64 + 1;

/**
 * A file next to the database that says where a session ends. A database whose write-ahead log was removed or cut is
 * consistent in itself; this file shows that events are missing. It is written after each commit and never synced:
 * after a power failure it may be behind, which is no error.
 */
export class HeadNote {
  readonly #path: string;
  readonly #isWritten: boolean;
  #file: number | undefined;

  /** With `normal` durability a power failure can lose the last events, and the file would be ahead: it is not written. */
  constructor(folder: string, session: string, durability: WriteSettings["durability"]) {
    this.#path = join(folder, hash("sha256", session).slice(0, 40));
    this.#isWritten = durability === "full";
  }

  write({ nextSeq, head }: NotedHead): void {
    if (!this.#isWritten) return;
    this.#file ??= openSync(this.#path, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
    writeSync(this.#file, `${String(nextSeq).padStart(16, "0")} ${head}\n`, 0);
  }

  /** `undefined` if it does not exist or cannot be read. */
  read(): NotedHead | undefined {
    let file: number;
    try {
      file = openSync(this.#path, constants.O_RDONLY | constants.O_NOFOLLOW);
    } catch {
      return undefined;
    }
    const bytes = new Uint8Array(LENGTH);
    const length = readSync(file, bytes, 0, LENGTH, 0);
    closeSync(file);
    const [, nextSeq, head] = NOTE.exec(new TextDecoder().decode(bytes.subarray(0, length))) ?? [];
    return nextSeq === undefined || head === undefined ? undefined : { nextSeq: Number(nextSeq), head };
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  remove(): void {
    this.close();
    rmSync(this.#path, { force: true });
  }
}

/** How the note contradicts the database; `undefined` if they agree or the note is behind. */
export function headError(noted: NotedHead | undefined, found: NotedHead): string | undefined {
  if (noted === undefined || noted.nextSeq < found.nextSeq) return undefined;
  if (noted.nextSeq === found.nextSeq)
    return noted.head === found.head ? undefined : "its last batch is not the one that was written";
  const missing = noted.nextSeq - found.nextSeq;
  return `its last ${missing} events are missing, as when the file toolkeep.db-wal is removed or cut`;
}
