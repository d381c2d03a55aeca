import { hash } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { JournalBatch, OpenBatch } from "@toolkeep/core/journal";
import { inTransaction } from "./database.ts";
import { inUse, type Leases, takenOver } from "./leases.ts";
import type { SessionRow } from "./session-rows.ts";

/** The limit of events in a session: their number is half of the key of a batch. */
export const MOST_EVENTS = 2 ** 32;

/** How many batches are read at a time. No statement stays open in between, so that writers need not wait. */
export const CHUNK = 64;

function batchKey(session: number, firstSeq: number): number {
  return session * MOST_EVENTS + firstSeq;
}

export function sha256(bytes: Uint8Array): string {
  return hash("sha256", bytes);
}

const NUMBERED = /^t([1-9]\d{0,14})$/;

/** A turn as the index has it: its number, or its name if it has none. */
function turnKey(turn: string): number | string {
  const number = NUMBERED.exec(turn)?.[1];
  return number === undefined ? turn : Number(number);
}

type Row = readonly [id: number, events: number, hash: string, bytes: Uint8Array<ArrayBuffer>];

/** Finds the batches of a session. Does not verify them: callers check the hashes. */
export class BatchRows {
  readonly #from: StatementSync;
  readonly #ofTurn: StatementSync;
  readonly #last: StatementSync;
  readonly #mentioning: StatementSync;
  readonly #among: StatementSync;
  readonly #isIndexed: StatementSync;
  readonly #indexed: StatementSync;

  constructor(db: DatabaseSync) {
    const select = (from: string) => {
      const statement = db.prepare(`SELECT b.id, b.events, b.hash, b.bytes FROM ${from}`);
      statement.setReturnArrays(true);
      return statement;
    };
    this.#from = select("batches b WHERE b.id >= ? AND b.id < ? ORDER BY b.id LIMIT ?");
    this.#ofTurn = select(
      `turns t LEFT JOIN batches b ON b.id = t.session * ${MOST_EVENTS} + t.first_seq
         WHERE t.session = ? AND t.turn = ? AND t.first_seq >= ? ORDER BY t.first_seq LIMIT ?`,
    );
    this.#mentioning = select(
      "batches b WHERE b.id >= ? AND b.id < ? AND instr(b.bytes, ?) > 0 ORDER BY b.id",
    );
    this.#among = select("batches b WHERE b.id IN (SELECT value FROM json_each(?))");
    this.#isIndexed = db.prepare("SELECT 1 FROM turns WHERE session = ? AND turn = ? AND first_seq = ?");
    this.#indexed = db.prepare("SELECT count(*) AS n FROM turns WHERE session = ?");
    this.#last = select("batches b WHERE b.id >= ? AND b.id < ? ORDER BY b.id DESC LIMIT 1");
  }

  /** In order, from the batch that begins at `firstSeq` or after it. */
  from(session: number, firstSeq: number, limit: number = CHUNK): readonly JournalBatch[] {
    const rows = this.#from.all(batchKey(session, firstSeq), batchKey(session + 1, 0), limit);
    return rows.map(toBatch);
  }

  /** The batches that begin at these events, by their first event. */
  startingAt(session: number, firstSeqs: readonly number[]): ReadonlyMap<number, JournalBatch> {
    const keys = JSON.stringify(firstSeqs.map((firstSeq) => batchKey(session, firstSeq)));
    return new Map(this.#among.all(keys).map((row) => [toBatch(row).firstSeq, toBatch(row)]));
  }

  /** The batches with events of the turn, from `firstSeq` on. `undefined` for one that the index has and that is missing. */
  ofTurn(session: number, turn: string, firstSeq: number): readonly (JournalBatch | undefined)[] {
    const rows = this.#ofTurn.all(session, turnKey(turn), firstSeq, CHUNK);
    return rows.map((row) => ((row as unknown as Row)[0] === null ? undefined : toBatch(row)));
  }

  /** The batches that begin in a range and contain these bytes. */
  mentioning(session: number, text: Uint8Array, from: number, to: number): readonly JournalBatch[] {
    return this.#mentioning.all(batchKey(session, from), batchKey(session, to), text).map(toBatch);
  }

  /** Whether the index of turns has the batch that begins there. */
  isIndexed(session: number, turn: string, firstSeq: number): boolean {
    return this.#isIndexed.get(session, turnKey(turn), firstSeq) !== undefined;
  }

  /** How many rows the index of turns has for a session. */
  countIndexed(session: number): number {
    return Number(this.#indexed.get(session)?.["n"]);
  }

  /** The last batch that begins before an event. */
  last(session: number, before: number = MOST_EVENTS): JournalBatch | undefined {
    const row = this.#last.get(batchKey(session, 0), batchKey(session, before));
    return row === undefined ? undefined : toBatch(row);
  }
}

function toBatch(row: unknown): JournalBatch {
  const [id, events, hash, bytes] = row as Row;
  return { firstSeq: id % MOST_EVENTS, events, hash, bytes };
}

/** A session with its writer: who owns it, since which opening, and the hash of its last batch. */
export interface WrittenSession extends Pick<SessionRow, "id" | "name" | "epoch" | "head"> {
  /** `null` for the record of the store itself, which every process adds to. */
  readonly owner: string | null;
}

/** Writes batches and their index, each batch in one transaction. */
export class BatchWriter {
  readonly #db: DatabaseSync;
  readonly #insertBatch: StatementSync;
  readonly #insertTurn: StatementSync;
  readonly #setStandingEvent: StatementSync;
  readonly #dropStandingEvent: StatementSync;
  readonly #dropCancel: StatementSync;
  readonly #advance: StatementSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#insertBatch = db.prepare("INSERT INTO batches (id, events, hash, bytes) VALUES (?, ?, ?, ?)");
    this.#insertTurn = db.prepare("INSERT INTO turns (session, turn, first_seq) VALUES (?, ?, ?)");
    this.#setStandingEvent = db.prepare(
      "INSERT OR REPLACE INTO standing_events (session, type, key, seq, first_seq) VALUES (?, ?, ?, ?, ?)",
    );
    this.#dropStandingEvent = db.prepare(
      "DELETE FROM standing_events WHERE session = ? AND type = ? AND key = ?",
    );
    this.#dropCancel = db.prepare("DELETE FROM inbox WHERE session = ? AND type = 'cancel' AND key = ?");
    this.#advance = db.prepare(
      `UPDATE sessions SET next_seq = ?, last_turn = ?, head = ?, calls = calls + ?,
         active_at = max(?, CASE WHEN next_seq = 0 THEN 0 ELSE active_at END),
         is_closed = coalesce(?, is_closed), opened_at = CASE WHEN next_seq = 0 THEN ? ELSE opened_at END
       WHERE id = ? AND owner IS ? AND epoch = ? AND next_seq = ?`,
    );
  }

  /** Returns the new head once the batch is durable. @throws ToolkeepError `session_lost` to another owner. */
  write(batch: OpenBatch, session: WrittenSession): string {
    return inTransaction(this.#db, () => this.add(batch, session));
  }

  /** The same within a transaction of the caller. */
  add(batch: OpenBatch, session: WrittenSession): string {
    const bytes = batch.encode(session.head);
    const head = sha256(bytes);
    this.#insertBatch.run(batchKey(session.id, batch.firstSeq), batch.events, head, bytes);
    for (const turn of batch.turns) this.#insertTurn.run(session.id, turnKey(turn), batch.firstSeq);
    this.#writeStandingEvents(batch, session);
    this.#advanceFenced(batch, session, head);
    return head;
  }

  #writeStandingEvents({ changes }: OpenBatch, { id, name }: WrittenSession): void {
    for (const { kind, standingEvent } of changes) {
      const { type, key, seq, firstSeq } = standingEvent;
      if (kind === "set") this.#setStandingEvent.run(id, type, key, seq, firstSeq);
      else this.#dropStandingEvent.run(id, type, key);
      if (kind === "drop" && type === "turn-start") this.#dropCancel.run(name, key);
    }
  }

  /** Fails for a writer that lost the lease while it was still running. */
  #advanceFenced(batch: OpenBatch, { id, name, owner, epoch }: WrittenSession, head: string): void {
    const { nextSeq, lastTurn } = batch.extent;
    const isClosed = batch.isClosed === undefined ? null : Number(batch.isClosed);
    const { changes } = this.#advance.run(
      ...[nextSeq, lastTurn, head, batch.calls, batch.lastAt, isClosed, batch.firstAt ?? batch.lastAt],
      ...[id, owner, epoch, batch.firstSeq],
    );
    if (changes !== 1) throw takenOver(name);
  }
}

/**
 * Removes everything the database has of a session, also from its free pages. `record` writes that down, in the same
 * transaction.
 * @throws ToolkeepError `session_in_use`.
 */
export function forgetSession(
  db: DatabaseSync,
  session: SessionRow,
  leases: Leases,
  record: () => void,
): void {
  if (leases.isHeld(session)) throw inUse(session, session.owner === leases.token);
  withoutTraces(db, () =>
    inTransaction(db, () => {
      const now = db.prepare("SELECT next_seq, epoch FROM sessions WHERE id = ?").get(session.id);
      // Another process has opened it since, and may have written to it.
      if (now?.["next_seq"] !== session.nextSeq || now["epoch"] !== session.epoch)
        throw inUse(session, false);
      db.prepare("DELETE FROM batches WHERE id >= ? AND id < ?").run(
        batchKey(session.id, 0),
        batchKey(session.id + 1, 0),
      );
      for (const table of ["turns", "standing_events"])
        db.prepare(`DELETE FROM ${table} WHERE session = ?`).run(session.id);
      db.prepare("DELETE FROM sessions WHERE id = ?").run(session.id);
      record();
    }),
  );
}

/** Gives batches other bytes. Their hashes stay: the chain continues from what they were. */
export function rewriteBatches(
  db: DatabaseSync,
  session: number,
  batches: readonly Pick<JournalBatch, "firstSeq" | "bytes">[],
): void {
  const rewrite = db.prepare("UPDATE batches SET bytes = ? WHERE id = ?");
  withoutTraces(db, () =>
    inTransaction(db, () => {
      for (const { firstSeq, bytes } of batches) rewrite.run(bytes, batchKey(session, firstSeq));
    }),
  );
}

/** What `remove` removes is also overwritten, in free pages and in the write-ahead log. */
function withoutTraces(db: DatabaseSync, remove: () => void): void {
  db.exec("PRAGMA secure_delete = ON");
  try {
    remove();
    // The write-ahead log still has the old pages.
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    db.exec("PRAGMA secure_delete = FAST");
  }
}
