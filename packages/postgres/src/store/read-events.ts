import { hash } from "node:crypto";
import { brokenAt, ERASE_MENTION, eventsIn, originOf, wasErasedTo } from "@toolkeep/core/internal";
import {
  batchError,
  chainAfter,
  decodeEvent,
  isAnsweredByIndex,
  type JournalBatch,
  type JournalEvent,
  type JournalQuery,
  linesOf,
  type PayloadErase,
  type StandingEvent,
  type StandingEvents,
} from "@toolkeep/core/journal";
import type { Database } from "../database/database.ts";
import type { PostgresClient } from "../database/pool.ts";
import { BatchRows, CHUNK } from "./batch-rows.ts";
import type { SessionIdentity } from "./session-write.ts";

/** A session, and up to which event it is read. */
export interface ReadSession extends SessionIdentity {
  readonly nextSeq: number;
}

const ERASED = `SELECT seq, first_seq AS "firstSeq" FROM @.standing_events WHERE session = $1 AND type = 'payload-erase' AND key = $2`;

/** The events of an open session that still apply, if the index has all that a query asks for. */
export function stillStanding(
  standing: StandingEvents,
  query: JournalQuery = {},
): readonly StandingEvent[] | undefined {
  if (!isAnsweredByIndex(query)) return undefined;
  return standing
    .all()
    .filter(({ type }) => query.types?.some((one) => one === type) === true)
    .toSorted((one, other) => one.seq - other.seq);
}

/** Reads the events of sessions. Every batch is verified before its events are used. */
export class EventReader {
  readonly batches: BatchRows;
  readonly #database: Database;
  readonly #client: PostgresClient | undefined;

  constructor(database: Database, client?: PostgresClient) {
    this.#database = database;
    this.#client = client;
    this.batches = new BatchRows(database, client);
  }

  /** In order. @throws ToolkeepError `journal_broken` at the first batch that was changed. */
  async *events(session: ReadSession, query: JournalQuery = {}): AsyncGenerator<JournalEvent> {
    const batches =
      query.turn === undefined ? this.checked(session, query.fromSeq) : this.#ofTurn(session, query.turn);
    for await (const batch of batches) yield* eventsIn(batch, query);
  }

  /** The events that these rows of the index are about. */
  async *standingEvents(
    session: SessionIdentity,
    standing: readonly StandingEvent[],
  ): AsyncGenerator<JournalEvent> {
    for (let from = 0; from < standing.length; from += CHUNK) {
      const chunk = standing.slice(from, from + CHUNK);
      const found = await this.batches.startingAt(
        session,
        chunk.map(({ firstSeq }) => firstSeq),
      );
      const lines = new Map<number, readonly string[]>();
      for (const [firstSeq, batch] of found) {
        await this.#assertUnchanged(session, batch);
        lines.set(firstSeq, linesOf(batch).lines);
      }
      for (const { type, seq, firstSeq } of chunk) {
        const line = lines.get(firstSeq)?.[seq - firstSeq];
        const event = line === undefined ? undefined : decodeEvent(line);
        if (event?.seq !== seq || event.type !== type)
          throw brokenAt(session.name, seq, "its index does not agree with its events");
        yield event;
      }
    }
  }

  /** All batches in order, or those from the one with an event on. Each is verified first. */
  async *checked(session: ReadSession, fromSeq = 0): AsyncGenerator<JournalBatch> {
    let before = originOf(fromSeq === 0 ? undefined : await this.batches.last(session, fromSeq + 1));
    while (before.firstSeq < session.nextSeq) {
      const chunk = await this.batches.from(session, before.firstSeq);
      if (chunk.length === 0) throw brokenAt(session.name, before.firstSeq, "its end is missing");
      for (const batch of chunk) {
        if (batch.firstSeq >= session.nextSeq) return;
        const reason = (await this.bytesError(session, batch)) ?? batchError(batch, batch.hash, before);
        if (reason !== undefined) throw brokenAt(session.name, batch.firstSeq, reason);
        yield batch;
        before = chainAfter(batch);
      }
    }
  }

  /** Whether the bytes of a batch were changed. Those of which payloads were erased must be what that event says. */
  async bytesError(session: SessionIdentity, batch: JournalBatch): Promise<string | undefined> {
    const found = sha256(batch.bytes);
    if (found === batch.hash) return undefined;
    const erase = await this.#eraseOf(session, batch.firstSeq);
    if (erase?.hash === batch.hash && erase.erased === found) return undefined;
    // Only where the last erasure does not fit: all events are searched.
    const mentions = erase === undefined ? [] : await this.batches.mentioning(session, ERASE_MENTION);
    return wasErasedTo(mentions, batch, found, sha256) ? undefined : "its bytes were changed";
  }

  async *#ofTurn(session: ReadSession, turn: string): AsyncGenerator<JournalBatch> {
    for (let from = 0; from < session.nextSeq; ) {
      const chunk = await this.batches.ofTurn(session, turn, from);
      for (const batch of chunk) {
        await this.#assertUnchanged(session, batch);
        yield batch;
        from = batch.firstSeq + 1;
      }
      if (chunk.length < CHUNK) return;
    }
  }

  async #assertUnchanged(session: SessionIdentity, batch: JournalBatch): Promise<void> {
    const reason = await this.bytesError(session, batch);
    if (reason !== undefined) throw brokenAt(session.name, batch.firstSeq, reason);
  }

  /** What was erased last from the batch that begins at an event. */
  async #eraseOf(session: SessionIdentity, firstSeq: number): Promise<PayloadErase | undefined> {
    type Row = { readonly seq: string; readonly firstSeq: string };
    const values = [session.id, String(firstSeq)];
    const [row] =
      this.#client === undefined
        ? await this.#database.query<Row>(ERASED, values)
        : await this.#database.run<Row>(this.#client, ERASED, values);
    if (row === undefined) return undefined;
    const batch = (await this.batches.startingAt(session, [Number(row.firstSeq)])).get(Number(row.firstSeq));
    if (batch === undefined || sha256(batch.bytes) !== batch.hash) return undefined;
    const line = linesOf(batch).lines[Number(row.seq) - Number(row.firstSeq)];
    const event = line === undefined ? undefined : decodeEvent(line);
    return event?.type === "payload-erase" ? event : undefined;
  }
}

const sha256 = (bytes: Uint8Array): string => hash("sha256", bytes);
