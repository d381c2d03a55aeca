import { setImmediate as immediate } from "node:timers/promises";
import { ToolkeepError } from "@toolkeep/core";
import { brokenAt, errorText } from "@toolkeep/core/internal";
import {
  type ChainVerdict,
  type JournalEntry,
  type JournalEvent,
  type JournalExtent,
  type JournalQuery,
  OpenBatch,
  type OpenJournal,
  REQUEST_TYPES,
  StandingEvents,
  type StoreNews,
} from "@toolkeep/core/journal";
import { type BatchWriter, MOST_EVENTS, sha256 } from "./batches.ts";
import { checkSession, type Reached } from "./check-session.ts";
import { type HeadNote, headError } from "./head-note.ts";
import type { Inbox } from "./inbox.ts";
import type { Leases } from "./leases.ts";
import { type EventDatabase, inChunks, missedByIndex, readEvents } from "./read-events.ts";
import type { SessionRow } from "./session-rows.ts";
import type { VerifiedSessions } from "./verified-sessions.ts";

/** What a journal is written with. */
export interface JournalParts {
  readonly database: EventDatabase;
  readonly writer: BatchWriter;
  readonly leases: Leases;
  readonly headNote: HeadNote;
  readonly inbox: Inbox;
  readonly verified: VerifiedSessions;
}

/** More than this is not buffered in memory: it is written before the next flush. */
const MOST_BUFFERED = 1024 * 1024;
/** Events that are not flushed are written after this time, so that other processes see them. */
const WRITE_AFTER_MS = 50;

/**
 * The journal of one session in the database of a store. It holds the lease of the session until the session is
 * closed or the journal is released. After a `session-close` only a `session-open` claims the lease again.
 */
export class SqliteJournal implements OpenJournal {
  readonly sessionId: string;
  /** Verifies what was there when the journal was opened, or fails the journal. `undefined` if it was released first. */
  readonly checked: Promise<ChainVerdict | undefined>;
  readonly #parts: JournalParts;
  readonly #standingEvents = new StandingEvents();
  /** The next event when it was opened: later events are known to be indexed. */
  readonly #openedSeq: number;
  /** Turns whose index was verified, until the whole session was. */
  readonly #verifiedTurns = new Set<string>();
  /** How far the session was verified, also by journals of it before this one. */
  readonly #reached: Reached;
  readonly #lost = new AbortController();
  #lease: Pick<SessionRow, "id" | "name" | "epoch">;
  #isVerified = false;
  #head: string;
  #open: OpenBatch;
  #isHeld = true;
  #hasEnded = false;
  #isClosed = false;
  #error: ToolkeepError | undefined;
  #committing: Promise<void> | undefined;
  #writeTimer: NodeJS.Timeout | undefined;
  #listener: ((news: StoreNews) => void) | undefined;
  /** The last entry of the inbox that the listener was told of. */
  #toldEntry = 0;

  /** The lease must have been claimed. @throws ToolkeepError `journal_broken`. */
  constructor(session: SessionRow, parts: JournalParts) {
    this.sessionId = session.name;
    this.#parts = parts;
    this.#lease = session;
    this.#openedSeq = session.nextSeq;
    this.#head = session.head;
    this.#open = new OpenBatch({ nextSeq: session.nextSeq, lastTurn: session.lastTurn });
    const reason = endError(session, parts);
    if (reason !== undefined) throw brokenAt(session.name, session.nextSeq, reason);
    this.#restore(session);
    this.#reached = parts.verified.reachedIn(session);
    this.checked = this.#checkWhole();
  }

  get fence(): string {
    return String(this.#lease.epoch);
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  append(seq: number, at: number, turn: string, entry: JournalEntry): void {
    this.#assertUsable();
    if (this.#hasEnded && entry.type !== "session-open") throw this.#closed();
    if (!this.#isHeld) this.#reclaim();
    const next = this.#open.extent.nextSeq;
    if (seq !== next || next >= MOST_EVENTS)
      throw this.#break(`event ${seq} was appended, and ${next} is next`);
    this.#open.append(seq, at, turn, entry);
    this.#open.note(this.#standingEvents, seq, turn, entry);
    this.#hasEnded = entry.type === "session-close";
    if (this.#open.size > MOST_BUFFERED) this.#commit();
    this.#writeTimer ??= setTimeout(() => this.#writeBuffered(), WRITE_AFTER_MS);
  }

  /** Flushes of one tick share one commit. */
  flush(): Promise<void> | undefined {
    if (this.#error !== undefined) return Promise.reject(this.#error);
    if (this.#open.events === 0) return undefined;
    this.#committing ??= immediate().then(() => {
      this.#committing = undefined;
      this.#commit();
      this.tellNews();
    });
    return this.#committing;
  }

  async *read(query?: JournalQuery): AsyncGenerator<JournalEvent> {
    // Other turns can be buffered: what is read of this one does not change with them.
    const isElsewhere = query?.turn !== undefined && !this.#open.turns.has(query.turn);
    if (this.#error !== undefined || !isElsewhere) this.#commit();
    const session = { id: this.#lease.id, name: this.sessionId, nextSeq: this.#open.firstSeq };
    if (query?.turn !== undefined) await this.#assertIndexed(query.turn);
    yield* inChunks(readEvents(this.#parts.database, session, query));
  }

  extent(): JournalExtent {
    return this.#open.extent;
  }

  /** Whether it has the lease of its session. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  onNews(listener: (news: StoreNews) => void): void {
    this.#listener = listener;
    this.tellNews();
  }

  /** Tells the listener what arrived in the inbox since the last time. */
  tellNews(): void {
    const listener = this.#listener;
    if (listener === undefined || !this.#isHeld) return;
    const { news, latest } = this.#parts.inbox.newsAfter(this.sessionId, this.#toldEntry);
    this.#toldEntry = latest;
    for (const one of news) listener(one);
  }

  /** Aborts `lost` if another owner took the session over. */
  checkLease(): void {
    if (!this.#isHeld || this.#error !== undefined) return;
    const taken = this.#parts.leases.lostTo(this.#lease);
    if (taken !== undefined) this.#break(taken.message, taken);
  }

  async release(): Promise<void> {
    this.close();
  }

  /** Writes what is buffered and releases the lease. Nothing can be appended afterwards. */
  close(): void {
    if (this.#isClosed) return;
    try {
      if (this.#error === undefined) this.#commit();
    } finally {
      this.#isClosed = true;
      clearTimeout(this.#writeTimer);
      this.#release();
    }
  }

  /** Returns once the buffered events are durable. */
  #commit(): void {
    if (this.#error !== undefined) throw this.#error;
    const batch = this.#open;
    if (batch.events === 0) return;
    const session = { ...this.#lease, owner: this.#parts.leases.token, head: this.#head };
    try {
      this.#head = this.#parts.writer.write(batch, session);
      this.#parts.headNote.write({ nextSeq: batch.extent.nextSeq, head: this.#head });
    } catch (error) {
      throw this.#break(errorText(error), error);
    }
    this.#open = new OpenBatch(batch.extent);
    if (batch.isClosed === true) this.#release();
  }

  #writeBuffered(): void {
    this.#writeTimer = undefined;
    try {
      if (this.#error === undefined) this.#commit();
    } catch {
      // The next flush reports it.
    }
  }

  /** The journal takes nothing more, and what is not flushed is lost. */
  #break(why: string, cause?: unknown): ToolkeepError {
    const what = `The journal of the session ${JSON.stringify(this.sessionId)} cannot be continued: ${why}.`;
    this.#error ??= ToolkeepError.isInstance(cause)
      ? cause
      : new ToolkeepError("journal_broken", what, { cause });
    this.#lost.abort(this.#error);
    return this.#error;
  }

  #assertUsable(): void {
    if (this.#error !== undefined) throw this.#error;
    if (this.#isClosed) throw this.#closed();
  }

  #closed(): ToolkeepError {
    return new ToolkeepError("session_closed", `The journal of ${this.sessionId} is closed.`);
  }

  /** Until the whole session is verified, a turn is also searched among the events, not in the index alone. */
  async #assertIndexed(turn: string): Promise<void> {
    if (this.#verifiedTurns.has(turn)) return;
    const found = { id: this.#lease.id, name: this.sessionId, nextSeq: this.#openedSeq };
    const searching = missedByIndex(this.#parts.database, found, turn, this.#reached);
    for (let step = searching.next(); !this.#isVerified; step = searching.next()) {
      if (!step.done) await immediate();
      else if (step.value === undefined) break;
      else throw this.#break(`at event ${step.value}: its index does not agree with its events`);
    }
    this.#verifiedTurns.add(turn);
  }

  #release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#parts.headNote.close();
    try {
      this.#parts.leases.release(this.#lease);
    } catch {
      // What was written is durable; the lease ends with the store.
    }
  }

  /** Claims the lease again for a session that is opened again, if no other process wrote to it meanwhile. */
  #reclaim(): void {
    const found = this.#parts.leases.claim(this.sessionId);
    const isSame = found.id === this.#lease.id && found.head === this.#head;
    this.#lease = found;
    this.#isHeld = true;
    if (isSame) return;
    this.#release();
    throw this.#break("another process continued the session");
  }

  #restore({ id, name, nextSeq }: SessionRow): void {
    const { database } = this.#parts;
    for (const standingEvent of database.sessions.standingEvents(id))
      this.#standingEvents.restore(standingEvent);
    const query = { types: REQUEST_TYPES, standing: true } as const;
    for (const event of readEvents(database, { id, name, nextSeq }, query)) {
      if (event.type !== "approval-request" && event.type !== "question-request") continue;
      const { type, turn, seq, request } = event;
      const standingEvent = { type, key: `${turn}/${event.id}`, seq, firstSeq: 0 };
      this.#standingEvents.restoreRequest(turn, request.callId, standingEvent);
    }
  }

  async #checkWhole(): Promise<ChainVerdict | undefined> {
    const { database, headNote, verified } = this.#parts;
    const lease = this.#lease;
    const checking = checkSession(database, this.sessionId, () => headNote.readCertain(), this.#reached);
    for (;;) {
      await immediate();
      if (this.#isClosed) return undefined;
      const { done, value } = checking.next();
      if (!done) continue;
      this.#isVerified = value.intact;
      if (!value.intact) {
        verified.forget(lease);
        this.#break(value.diagnostic);
      }
      return value;
    }
  }
}

/** What is wrong at the end of the session, where it is continued. The rest is verified afterwards. */
function endError(session: SessionRow, { database, headNote }: JournalParts): string | undefined {
  const last = database.batches.last(session.id);
  if (last === undefined)
    return session.nextSeq === 0 ? headError(headNote.readCertain(), session) : "its events are missing";
  if (last.firstSeq + last.events !== session.nextSeq || last.hash !== session.head)
    return "its end is missing";
  if (sha256(last.bytes) !== last.hash) return "the bytes of its last batch were changed";
  return headError(headNote.readCertain(), session);
}
