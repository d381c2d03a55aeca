import { hash } from "node:crypto";
import { closeSync, constants, openSync, readFileSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { unlessThrown } from "@toolkeep/core/internal";
import type { WriteSettings } from "./database.ts";

/** The next event of a session, and the hash of its last batch. */
export interface NotedHead {
  readonly nextSeq: number;
  readonly head: string;
}

/** What a file says. */
export interface ReadNote extends NotedHead {
  /** No power failure can have lost the events that it knows of. */
  readonly isCertain: boolean;
}

const NOTE = /^(\d{16}) ([0-9a-f]{64}) ([0-9a-f-]{36})\n$/;
const LENGTH = 16 + 1 + 64 + 1 + 36 + 1;

/** In the place of the start of the machine: every event was on disk before the note was written. */
const SYNCED = "-".repeat(36);
const UNKNOWN = "0".repeat(36);

let ofThisStart: string | undefined;

/** Names the time since the machine was started; on systems that do not name it, all times have one name. */
function startOfMachine(): string {
  ofThisStart ??= readStart();
  return ofThisStart;
}

function readStart(): string {
  const text = unlessThrown(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()) ?? "";
  return /^[0-9a-f-]{36}$/.test(text) ? text : UNKNOWN;
}

/**
 * A file next to the database that says where a session ends. A database whose write-ahead log was removed or cut is
 * consistent in itself; this file shows that events are missing. It is written after each commit and never synced:
 * after a power failure it may be behind, which is no error. With `normal` durability it may also be ahead then, so it
 * says since which start of the machine that holds: until the next one, what a process has written is there.
 */
export class HeadNote {
  readonly #path: string;
  readonly #since: () => string;
  #file: number | undefined;

  constructor(folder: string, session: string, durability: WriteSettings["durability"]) {
    this.#path = join(folder, hash("sha256", session).slice(0, 40));
    this.#since = durability === "full" ? () => SYNCED : startOfMachine;
  }

  write({ nextSeq, head }: NotedHead): void {
    this.#file ??= openSync(this.#path, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
    writeSync(this.#file, `${String(nextSeq).padStart(16, "0")} ${head} ${this.#since()}\n`, 0);
  }

  /** `undefined` if it does not exist or cannot be read. */
  read(): ReadNote | undefined {
    let file: number;
    try {
      file = openSync(this.#path, constants.O_RDONLY | constants.O_NOFOLLOW);
    } catch {
      return undefined;
    }
    const bytes = new Uint8Array(LENGTH);
    const length = readSync(file, bytes, 0, LENGTH, 0);
    closeSync(file);
    const [, nextSeq, head, since] = NOTE.exec(new TextDecoder().decode(bytes.subarray(0, length))) ?? [];
    if (nextSeq === undefined || head === undefined) return undefined;
    const isCertain = since === SYNCED || (since !== UNKNOWN && since === startOfMachine());
    return { nextSeq: Number(nextSeq), head, isCertain };
  }

  /** The same for a session that is to be continued: what a power failure may have lost does not keep it from that. */
  readCertain(): ReadNote | undefined {
    const noted = this.read();
    return noted?.isCertain === true ? noted : undefined;
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
export function headError(noted: ReadNote | undefined, found: NotedHead): string | undefined {
  if (noted === undefined || noted.nextSeq < found.nextSeq) return undefined;
  if (noted.nextSeq === found.nextSeq)
    return noted.head === found.head ? undefined : "its last batch is not the one that was written";
  const missing = noted.nextSeq - found.nextSeq;
  const cause = noted.isCertain ? "" : "after a power failure, or ";
  return `its last ${missing} events are missing, as ${cause}when the file toolkeep.db-wal is removed or cut`;
}
