import { setImmediate as immediate } from "node:timers/promises";
import { invalidOption } from "@toolkeep/core/internal";
import {
  CHAIN_START,
  type ChainVerdict,
  type JournalBatch,
  type JournalEvent,
  type JournalQuery,
  linesOf,
} from "@toolkeep/core/journal";
import { checkSession } from "./check-session.ts";
import { unreadableStore } from "./database.ts";
import type { ReadNote } from "./head-note.ts";
import { checkedBatches, type EventDatabase, inChunks, readEvents } from "./read-events.ts";
import { type SessionRow, STORE_RECORD } from "./session-rows.ts";
import type { SessionHead } from "./sessions.ts";
import type { StoreRecord } from "./store-record.ts";

interface RecordParts {
  readonly record: StoreRecord;
  noted(sessionId: string): ReadNote | undefined;
}

/** Reads and verifies the records of the sessions of a store, also while other processes write to them. */
export class SessionRecords {
  readonly #path: string;
  readonly #database: EventDatabase;
  readonly #parts: RecordParts;

  constructor(path: string, database: EventDatabase, parts: RecordParts) {
    this.#path = path;
    this.#database = database;
    this.#parts = parts;
  }

  async *events(sessionId: string, query?: JournalQuery): AsyncGenerator<JournalEvent> {
    try {
      yield* inChunks(readEvents(this.#database, this.existing(sessionId), query));
    } catch (error) {
      throw unreadableStore(this.#path, error);
    }
  }

  async *batches(sessionId: string): AsyncGenerator<JournalBatch> {
    try {
      yield* inChunks(checkedBatches(this.#database, this.existing(sessionId)));
    } catch (error) {
      throw unreadableStore(this.#path, error);
    }
  }

  async *export(sessionId: string): AsyncGenerator<string> {
    for await (const batch of this.batches(sessionId)) yield* linesOf(batch).lines;
  }

  async verify(sessionId: string): Promise<ChainVerdict> {
    if (sessionId === STORE_RECORD && this.#database.sessions.byName(STORE_RECORD) === undefined)
      return this.#withApprovals({ intact: true, head: CHAIN_START, batches: 0 });
    this.existing(sessionId);
    const checking = checkSession(this.#database, sessionId, () => this.#parts.noted(sessionId));
    for (;;) {
      const { done, value } = checking.next();
      if (done) return sessionId === STORE_RECORD ? this.#withApprovals(value) : value;
      await immediate();
    }
  }

  heads(): readonly SessionHead[] {
    const rows = this.#database.sessions.all();
    return rows.map(({ name, nextSeq, head, activeAt }) => ({ sessionId: name, nextSeq, head, activeAt }));
  }

  headAt(sessionId: string, nextSeq: number): string | undefined {
    const batch = this.#database.batches.last(this.existing(sessionId).id, nextSeq);
    return batch !== undefined && batch.firstSeq + batch.events === nextSeq ? batch.hash : undefined;
  }

  /** @throws ToolkeepError `invalid_option` for a session that does not exist. */
  existing(sessionId: string): SessionRow {
    if (typeof sessionId !== "string") {
      const message = `A session id is a string, such as one of \`store.sessions()\`; got ${String(sessionId)}.`;
      throw invalidOption(message);
    }
    let found: SessionRow | undefined;
    try {
      found = this.#database.sessions.byName(sessionId);
    } catch (error) {
      throw unreadableStore(this.#path, error);
    }
    if (found !== undefined) return found;
    const message = `There is no session ${JSON.stringify(sessionId)} in ${this.#path}.`;
    throw invalidOption(message);
  }

  /** The record of the store must also be what its other tables say. */
  #withApprovals(verdict: ChainVerdict): ChainVerdict {
    const diagnostic = verdict.intact ? this.#parts.record.approvalsError() : undefined;
    if (diagnostic === undefined || !verdict.intact) return verdict;
    const event = this.#database.sessions.byName(STORE_RECORD)?.nextSeq ?? 0;
    return { intact: false, batch: verdict.batches, event, diagnostic };
  }
}
