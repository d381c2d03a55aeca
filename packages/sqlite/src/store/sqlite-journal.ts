import { setImmediate as immediate } from "node:timers/promises";
import { ToolkeepError } from "@toolkeep/core";
import {
  type ChainVerdict,
  type Journal,
  type JournalEntry,
  type JournalEvent,
  type JournalExtent,
  type JournalQuery,
  OpenBatch,
  REQUEST_TYPES,
  StandingEvents,
} from "@toolkeep/core/journal";
import { MOST_EVENTS } from "./batch-rows.ts";
import type { BatchWriter } from "./batch-writer.ts";
import { checkSession } from "./check-session.ts";
import { errorMessage } from "./error-message.ts";
import { type HeadNote, headError } from "./head-note.ts";
import { inTurns } from "./in-chunks.ts";
import type { Leases } from "./leases.ts";
import { brokenAt, type EventDatabase, missedByIndex, readEvents, sha256 } from "./read-events.ts";
import type { SessionRow } from "./session-rows.ts";

/** What a journal is written with. */
export interface JournalParts {
  readonly database: EventDatabase;
  readonly writer: BatchWriter;
  readonly leases: Leases;
  readonly headNote: HeadNote;
}

/** More than this is not kept in memory: it is written before the next flush. */
const MOST_BUFFERED = 1024 * 1024;
/** What nobody flushes is written after this time, so that others see it too. */
const REST_MS = 50;

/**
 * The journal of one session in the database of a store. It holds the lease of its session until the
 * session is closed or the journal is. After a `session-close` only a `session-open` takes it again.
 */
export class SqliteJournal implements Journal {
  readonly sessionId: string;
  /** The check of everything that was there when the journal was opened. If it fails, the journal fails. `undefined` if it was closed before. */
  readonly checked: Promise<ChainVerdict | undefined>;
  readonly #parts: JournalParts;
  readonly #standingEvents = new StandingEvents();
  readonly #session: number;
  /** How far it went when it was opened: what was written since is known to be indexed. */
  readonly #foundSeq: number;
  /** Turns that the index is known to be right about, until that is known of all. */
  readonly #soundTurns = new Set<string>();
  #isSound = false;
  #head: string;
  #open: OpenBatch;
  #isHeld = true;
  #hasEnded = false;
  #isClosed = false;
  #error: ToolkeepError | undefined;
  #committing: Promise<void> | undefined;
  #resting: NodeJS.Timeout | undefined;

  /** The lease must have been claimed. @throws ToolkeepError `journal_broken`. */
  constructor(session: SessionRow, parts: JournalParts) {
    this.sessionId = session.name;
    this.#parts = parts;
    this.#session = session.id;
    this.#foundSeq = session.nextSeq;
    this.#head = session.head;
    this.#open = new OpenBatch({ nextSeq: session.nextSeq, lastTurn: session.lastTurn });
    const diagnostic = endError(session, parts);
    if (diagnostic !== undefined) throw brokenAt(session.name, session.nextSeq, diagnostic);
    this.#restore(session);
    this.checked = this.#checkWhole();
  }

  append(seq: number, at: number, turn: string, entry: JournalEntry): void {
    this.#assertSound();
    if (this.#hasEnded && entry.type !== "session-open") throw this.#closed();
    if (!this.#isHeld) this.#reclaim();
    const next = this.#open.extent.nextSeq;
    if (seq !== next || next >= MOST_EVENTS) throw this.#break(`event ${seq} came where ${next} was to be`);
    this.#open.append(seq, at, turn, entry);
    this.#open.note(this.#standingEvents, seq, turn, entry);
    this.#hasEnded = entry.type === "session-close";
    if (this.#open.size > MOST_BUFFERED) this.#commit();
    this.#resting ??= setTimeout(() => this.#rest(), REST_MS);
  }

  /** All that ask in one go share one commit. */
  flush(): Promise<void> | undefined {
    if (this.#error !== undefined) return Promise.reject(this.#error);
    if (this.#open.events === 0) return undefined;
    this.#committing ??= immediate().then(() => {
      this.#committing = undefined;
      this.#commit();
    });
    return this.#committing;
  }

  async *read(query?: JournalQuery): AsyncGenerator<JournalEvent> {
    this.#commit();
    const session = { id: this.#session, name: this.sessionId, nextSeq: this.#open.extent.nextSeq };
    if (query?.turn !== undefined) await this.#assertIndexed(query.turn);
    yield* inTurns(readEvents(this.#parts.database, session, query));
  }

  extent(): JournalExtent {
    return this.#open.extent;
  }

  /** Whether it has the lease of its session. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Writes what is left and gives the lease back. A journal that is closed takes nothing more. */
  close(): void {
    if (this.#isClosed) return;
    try {
      if (this.#error === undefined) this.#commit();
    } finally {
      this.#isClosed = true;
      clearTimeout(this.#resting);
      this.#release();
    }
  }

  /** Returns when it is durable, and never before. */
  #commit(): void {
    if (this.#error !== undefined) throw this.#error;
    const batch = this.#open;
    if (batch.events === 0) return;
    const session = {
      id: this.#session,
      name: this.sessionId,
      owner: this.#parts.leases.token,
      head: this.#head,
    };
    try {
      this.#head = this.#parts.writer.write(batch, session);
      this.#parts.headNote.write({ nextSeq: batch.extent.nextSeq, head: this.#head });
    } catch (error) {
      throw this.#break(errorMessage(error), error);
    }
    this.#open = new OpenBatch(batch.extent);
    if (batch.isClosed === true) this.#release();
  }

  #rest(): void {
    this.#resting = undefined;
    try {
      if (this.#error === undefined) this.#commit();
    } catch {
      // Whoever flushes next is told.
    }
  }

  /** From here on nothing is taken and nothing counts as durable. */
  #break(why: string, cause?: unknown): ToolkeepError {
    const what = `The journal of the session ${JSON.stringify(this.sessionId)} cannot be continued: ${why}.`;
    this.#error ??= ToolkeepError.isInstance(cause)
      ? cause
      : new ToolkeepError("journal_broken", what, { cause });
    return this.#error;
  }

  #assertSound(): void {
    if (this.#error !== undefined) throw this.#error;
    if (this.#isClosed) throw this.#closed();
  }

  #closed(): ToolkeepError {
    return new ToolkeepError("session_closed", `The journal of ${this.sessionId} is closed.`);
  }

  /** Until everything is checked, a turn is looked for among the events too, and not in the index alone. */
  async #assertIndexed(turn: string): Promise<void> {
    if (this.#soundTurns.has(turn)) return;
    const found = { id: this.#session, name: this.sessionId, nextSeq: this.#foundSeq };
    const looking = missedByIndex(this.#parts.database, found, turn);
    for (let step = looking.next(); !this.#isSound; step = looking.next()) {
      if (!step.done) await immediate();
      else if (step.value === undefined) break;
      else throw this.#break(`at event ${step.value}: its index does not agree with its events`);
    }
    this.#soundTurns.add(turn);
  }

  #release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#parts.headNote.close();
    try {
      this.#parts.leases.release(this.#session);
    } catch {
      // What was written is durable all the same; the lease ends with the store.
    }
  }

  /** The session is opened again: it goes on if nobody else went on with it meanwhile. */
  #reclaim(): void {
    const found = this.#parts.leases.claim(this.sessionId);
    this.#isHeld = true;
    if (found.id !== this.#session || found.head !== this.#head) {
      this.#release();
      throw this.#break("another process went on with the session");
    }
  }

  #restore({ id, name, nextSeq }: SessionRow): void {
    const { database } = this.#parts;
    for (const standingEvent of database.sessions.standingEvents(id))
      this.#standingEvents.restore(standingEvent);
    const query = { types: REQUEST_TYPES, standing: true } as const;
    for (const event of readEvents(database, { id, name, nextSeq }, query)) {
      if (event.type !== "approval-request" && event.type !== "question-request") continue;
      const standingEvent = {
        type: event.type,
        key: `${event.turn}/${event.id}`,
        seq: event.seq,
        firstSeq: 0,
      };
      this.#standingEvents.restoreRequest(event.turn, event.request.callId, standingEvent);
    }
  }

  async #checkWhole(): Promise<ChainVerdict | undefined> {
    const { database, headNote } = this.#parts;
    const checking = checkSession(database, this.sessionId, () => headNote.read());
    for (;;) {
      await immediate();
      if (this.#isClosed) return undefined;
      const { done, value } = checking.next();
      if (!done) continue;
      if (value.intact) this.#isSound = true;
      else this.#break(value.diagnostic);
      return value;
    }
  }
}

/** What is wrong where the session is to go on. The rest is checked while it does. */
function endError(session: SessionRow, { database, headNote }: JournalParts): string | undefined {
  const last = database.batches.last(session.id);
  if (last === undefined)
    return session.nextSeq === 0 ? headError(headNote.read(), session) : "its events are gone";
  if (last.firstSeq + last.events !== session.nextSeq || last.hash !== session.head)
    return "its end is missing";
  if (sha256(last.bytes) !== last.hash) return "the bytes of its last batch were changed";
  return headError(headNote.read(), session);
}
