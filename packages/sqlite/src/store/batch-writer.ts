import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { OpenBatch } from "@toolkeep/core/journal";
import { batchKey, turnKey } from "./batch-rows.ts";
import { inTransaction } from "./in-transaction.ts";
import { inUse } from "./leases.ts";
import { sha256 } from "./read-events.ts";
import type { SessionRow } from "./session-rows.ts";

/** A session that is written to: who it is, in whose name, and where its chain ends. */
export interface WrittenSession extends Pick<SessionRow, "id" | "name"> {
  readonly owner: string;
  readonly head: string;
}

/** Writes batches and what the index needs of them, each in one transaction. */
export class BatchWriter {
  readonly #db: DatabaseSync;
  readonly #insertBatch: StatementSync;
  readonly #insertTurn: StatementSync;
  readonly #setStandingEvent: StatementSync;
  readonly #dropStandingEvent: StatementSync;
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
    this.#advance = db.prepare(
      `UPDATE sessions SET next_seq = ?, last_turn = ?, head = ?, calls = calls + ?, active_at = ?,
         is_closed = coalesce(?, is_closed) WHERE id = ? AND owner = ? AND next_seq = ?`,
    );
  }

  /**
   * Returns the new head when the batch is durable, and never before.
   * @throws ToolkeepError `session_in_use` when the lease went to somebody else meanwhile.
   */
  write(batch: OpenBatch, session: WrittenSession): string {
    const bytes = batch.encode(session.head);
    const head = sha256(bytes);
    inTransaction(this.#db, () => {
      this.#insertBatch.run(batchKey(session.id, batch.firstSeq), batch.events, head, bytes);
      for (const turn of batch.turns) this.#insertTurn.run(session.id, turnKey(turn), batch.firstSeq);
      this.#writeStandingEvents(batch, session.id);
      this.#fence(batch, session, head);
    });
    return head;
  }

  #writeStandingEvents({ changes }: OpenBatch, session: number): void {
    for (const { kind, standingEvent } of changes) {
      const { type, key, seq, firstSeq } = standingEvent;
      if (kind === "set") this.#setStandingEvent.run(session, type, key, seq, firstSeq);
      else this.#dropStandingEvent.run(session, type, key);
    }
  }

  /** Whoever lost the lease, though it lives, changes nothing any more. */
  #fence(batch: OpenBatch, { id, name, owner }: WrittenSession, head: string): void {
    const { nextSeq, lastTurn } = batch.extent;
    const isClosed = batch.isClosed === undefined ? null : Number(batch.isClosed);
    const { changes } = this.#advance.run(
      ...[nextSeq, lastTurn, head, batch.calls, batch.lastAt, isClosed],
      ...[id, owner, batch.firstSeq],
    );
    if (changes !== 1) throw inUse({ name, ownerPid: null }, false);
  }
}
