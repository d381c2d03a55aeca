import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { JournalBatch } from "@toolkeep/core/journal";

/** More events than this a session cannot have: their number is half of the key of a batch. */
export const MOST_EVENTS = 2 ** 32;

/** How many batches are read at a time. Nothing is held open in between, so that writers need not wait. */
export const CHUNK = 64;

export function batchKey(session: number, firstSeq: number): number {
  return session * MOST_EVENTS + firstSeq;
}

const COUNTED = /^t([1-9]\d{0,14})$/;

/** A turn as the index knows it: the number of one that was counted, else its name. */
export function turnKey(turn: string): number | string {
  const counted = COUNTED.exec(turn)?.[1];
  return counted === undefined ? turn : Number(counted);
}

type Row = readonly [id: number, events: number, hash: string, bytes: Uint8Array<ArrayBuffer>];

/** Finds the batches of a session. Believes what it reads: whoever uses it checks the hashes. */
export class BatchRows {
  readonly #from: StatementSync;
  readonly #ofTurn: StatementSync;
  readonly #last: StatementSync;
  readonly #mentioning: StatementSync;
  readonly #isIndexed: StatementSync;
  readonly #indexed: StatementSync;

  constructor(db: DatabaseSync) {
    const columns = "b.id, b.events, b.hash, b.bytes";
    this.#from = asArrays(
      db.prepare(`SELECT ${columns} FROM batches b WHERE b.id >= ? AND b.id < ? ORDER BY b.id LIMIT ?`),
    );
    this.#ofTurn = asArrays(
      db.prepare(
        `SELECT ${columns} FROM turns t LEFT JOIN batches b ON b.id = t.session * ${MOST_EVENTS} + t.first_seq
         WHERE t.session = ? AND t.turn = ? AND t.first_seq >= ? ORDER BY t.first_seq LIMIT ?`,
      ),
    );
    this.#mentioning = asArrays(
      db.prepare(
        `SELECT ${columns} FROM batches b WHERE b.id >= ? AND b.id < ? AND instr(b.bytes, ?) > 0 ORDER BY b.id`,
      ),
    );
    this.#isIndexed = db.prepare("SELECT 1 FROM turns WHERE session = ? AND turn = ? AND first_seq = ?");
    this.#indexed = db.prepare("SELECT count(*) AS n FROM turns WHERE session = ?");
    this.#last = asArrays(
      db.prepare(`SELECT ${columns} FROM batches b WHERE b.id >= ? AND b.id < ? ORDER BY b.id DESC LIMIT 1`),
    );
  }

  /** In order, from the batch that begins at `firstSeq` or after it. */
  from(session: number, firstSeq: number, limit: number = CHUNK): readonly JournalBatch[] {
    const rows = this.#from.all(batchKey(session, firstSeq), batchKey(session + 1, 0), limit);
    return rows.map(toBatch);
  }

  at(session: number, firstSeq: number): JournalBatch | undefined {
    const [batch] = this.from(session, firstSeq, 1);
    return batch?.firstSeq === firstSeq ? batch : undefined;
  }

  /** Those that hold an event of the turn, from `firstSeq` on. `undefined` for one that the index knows and that is gone. */
  ofTurn(session: number, turn: string, firstSeq: number): readonly (JournalBatch | undefined)[] {
    const rows = this.#ofTurn.all(session, turnKey(turn), firstSeq, CHUNK);
    return rows.map((row) => ((row as unknown as Row)[0] === null ? undefined : toBatch(row)));
  }

  /** Those that begin in a range and hold these bytes. */
  mentioning(session: number, text: Uint8Array, from: number, to: number): readonly JournalBatch[] {
    return this.#mentioning.all(batchKey(session, from), batchKey(session, to), text).map(toBatch);
  }

  /** Whether the index of turns leads to the batch that begins there. */
  isIndexed(session: number, turn: string, firstSeq: number): boolean {
    return this.#isIndexed.get(session, turnKey(turn), firstSeq) !== undefined;
  }

  /** How many rows the index of turns has for a session. */
  countIndexed(session: number): number {
    return Number(this.#indexed.get(session)?.["n"]);
  }

  last(session: number): JournalBatch | undefined {
    const row = this.#last.get(batchKey(session, 0), batchKey(session + 1, 0));
    return row === undefined ? undefined : toBatch(row);
  }
}

function asArrays(statement: StatementSync): StatementSync {
  statement.setReturnArrays(true);
  return statement;
}

function toBatch(row: unknown): JournalBatch {
  const [id, events, hash, bytes] = row as Row;
  return { firstSeq: id % MOST_EVENTS, events, hash, bytes };
}
