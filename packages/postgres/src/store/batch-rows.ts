import type { JournalBatch } from "@toolkeep/core/journal";
import type { Database } from "../database/database.ts";
import type { PostgresClient } from "../database/pool.ts";
import { AMONG, FROM, LAST, MENTIONING, OF_TURN } from "./batch-queries.ts";
import type { SessionIdentity } from "./session-write.ts";

/** How many batches are read at a time. */
export const CHUNK = 64;

type Row = Omit<JournalBatch, "firstSeq"> & { readonly firstSeq: string };

/** Finds the batches of a session. Does not verify them: callers check the hashes. */
export class BatchRows {
  readonly #database: Database;
  readonly #client: PostgresClient | undefined;

  /** With a connection: reads what that sees, within its transaction. */
  constructor(database: Database, client?: PostgresClient) {
    this.#database = database;
    this.#client = client;
  }

  /** In order, from the batch that begins at `firstSeq` or after it. */
  from(session: SessionIdentity, firstSeq: number, limit: number = CHUNK): Promise<readonly JournalBatch[]> {
    return this.#find(FROM, session, [firstSeq, limit]);
  }

  /** The batches with events of a turn, from `firstSeq` on. */
  ofTurn(session: SessionIdentity, turn: string, firstSeq: number): Promise<readonly JournalBatch[]> {
    return this.#find(OF_TURN, session, [firstSeq, turn, CHUNK]);
  }

  /** The batches that begin at these events, by their first event. */
  async startingAt(
    session: SessionIdentity,
    firstSeqs: readonly number[],
  ): Promise<ReadonlyMap<number, JournalBatch>> {
    const found = await this.#find(AMONG, session, [[...new Set(firstSeqs)]]);
    return new Map(found.map((batch) => [batch.firstSeq, batch]));
  }

  /** The batches that contain a text. */
  mentioning(session: SessionIdentity, text: string): Promise<readonly JournalBatch[]> {
    return this.#find(MENTIONING, session, [Buffer.from(text)]);
  }

  /** The last batch that begins before an event. */
  async last(session: SessionIdentity, before: number): Promise<JournalBatch | undefined> {
    return (await this.#find(LAST, session, [before]))[0];
  }

  async #find(
    sql: string,
    { period, id }: SessionIdentity,
    values: readonly unknown[],
  ): Promise<readonly JournalBatch[]> {
    const all = [period, id, ...values];
    const rows =
      this.#client === undefined
        ? await this.#database.query<Row>(sql, all)
        : await this.#database.run<Row>(this.#client, sql, all);
    return rows.map((row) => ({ ...row, firstSeq: Number(row.firstSeq) }));
  }
}
