import { hash } from "node:crypto";
import { ToolkeepError } from "@toolkeep/core";
import { errorText } from "@toolkeep/core/internal";
import {
  type JournalEntry,
  type JournalEvent,
  type JournalExtent,
  type JournalQuery,
  OpenBatch,
  type OpenJournal,
  type StandingEvents,
  type StoreNews,
} from "@toolkeep/core/journal";
import { isConflict, isConnectionError } from "../database/connection-errors.ts";
import { BatchIndex } from "./batch-index.ts";
import type { Claims } from "./claims.ts";
import type { GroupWriter, WriteSource } from "./group-writer.ts";
import type { InboxNews } from "./inbox-news.ts";
import type { KeptArguments } from "./kept-arguments.ts";
import { type EventReader, stillStanding } from "./read-events.ts";
import type { SessionRow } from "./session-rows.ts";
import type { SessionWrite } from "./session-write.ts";

/** What a journal is written with. */
export interface JournalParts {
  readonly claims: Claims;
  readonly writer: GroupWriter;
  readonly reader: EventReader;
  readonly kept: KeptArguments;
  readonly news: InboxNews;
  /** The index of the session, as it was restored. */
  readonly standing: StandingEvents;
  onEnd(): void;
}

/** More than this is not buffered in memory: it is written before the next flush. */
const MOST_BUFFERED = 1024 * 1024;
/** So many turns are remembered as written; a session may have any number. */
const MOST_TURNS = 256;
/** Events that are not flushed are written after this time, so that other processes see them. */
const WRITE_AFTER_MS = 50;

interface Sent {
  readonly write: SessionWrite;
  readonly waiting: PromiseWithResolvers<void>;
}

/** The journal of one session that this process has open. One commit is on its way at a time. */
export class PostgresJournal implements OpenJournal, WriteSource {
  readonly session: SessionRow;
  readonly fence: string;
  readonly #parts: JournalParts;
  readonly #lost = new AbortController();
  readonly #knownTurns = new Set<string>();
  #open: OpenBatch;
  #index = new BatchIndex();
  #head: string;
  #newsCount: string;
  /** Those who wait for the next commit. */
  #next: PromiseWithResolvers<void> | undefined;
  #sent: Sent | undefined;
  #timer: NodeJS.Timeout | undefined;
  #error: ToolkeepError | undefined;
  #releasing: Promise<void> | undefined;

  constructor(session: SessionRow, parts: JournalParts) {
    this.session = session;
    this.fence = session.epoch;
    this.#parts = parts;
    this.#head = session.head;
    this.#newsCount = session.news;
    this.#open = new OpenBatch({ nextSeq: session.nextSeq, lastTurn: session.lastTurn });
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  append(seq: number, at: number, turn: string, entry: JournalEntry): void {
    if (this.#error !== undefined) throw this.#error;
    if (this.#releasing !== undefined) throw closed(this.session.name);
    const next = this.#open.extent.nextSeq;
    if (seq !== next) throw this.#break(`event ${seq} was appended, and ${next} is next`);
    this.#open.append(seq, at, turn, entry);
    this.#index.note(seq, at, turn, entry);
    this.#open.note(this.#parts.standing, seq, turn, entry);
    if (this.#open.size > MOST_BUFFERED) void this.#request();
    this.#writeSoon();
  }

  flush(): Promise<void> | undefined {
    if (this.#error !== undefined) return Promise.reject(this.#error);
    return this.#hasChanges ? this.#request() : this.#sent?.waiting.promise;
  }

  async *read(query?: JournalQuery): AsyncGenerator<JournalEvent> {
    for (let flushed = this.flush(); flushed !== undefined; flushed = this.flush()) await flushed;
    const { standing, reader } = this.#parts;
    const { nextSeq } = this.#open.extent;
    const found = stillStanding(standing, query);
    yield* found === undefined
      ? reader.events({ ...this.session, nextSeq }, query)
      : reader.standingEvents(this.session, found);
  }

  extent(): JournalExtent {
    return this.#open.extent;
  }

  onNews(listener: (news: StoreNews) => void): void {
    this.#parts.news.listen(listener);
  }

  /** Looks for what was sent to the session. */
  lookForNews(): void {
    // A database that does not answer is found out by the next flush.
    this.#parts.news.look().catch(() => undefined);
  }

  /** Compares the lease with what the database says of it. */
  checkLease(epoch: string | undefined): void {
    if (epoch !== this.fence && this.#releasing === undefined) this.#lose();
  }

  putArguments(key: string, text: string): void {
    this.#parts.kept.put(key, text);
    this.#writeSoon();
  }

  deleteArguments(key: string): void {
    this.#parts.kept.delete(key);
    this.#writeSoon();
  }

  release(): Promise<void> {
    this.#releasing ??= this.#end();
    return this.#releasing;
  }

  take(): SessionWrite | undefined {
    if (this.#error !== undefined) return undefined;
    if (this.#sent !== undefined) return this.#sent.write;
    const waiting = this.#next ?? newWaiting();
    this.#next = undefined;
    const write = this.#cut();
    this.#sent = { write, waiting };
    return write;
  }

  written(news: string): void {
    const sent = this.#sent;
    if (sent === undefined) return;
    this.#head = sent.write.head;
    this.#sent = undefined;
    if (this.#next !== undefined) this.#parts.writer.add(this);
    // What was sent to the session is told before the flush is over.
    if (news === this.#newsCount) sent.waiting.resolve();
    else this.#parts.news.look().then(sent.waiting.resolve, sent.waiting.resolve);
    this.#newsCount = news;
  }

  refused(): void {
    void this.#settle();
  }

  failed(error: unknown): void {
    if (isConnectionError(error) || isConflict(error)) void this.#settle();
    else this.#break(errorText(error), error);
  }

  get #hasChanges(): boolean {
    return this.#open.events > 0 || this.#parts.kept.isChanged;
  }

  /** Asks for a commit of everything so far. */
  #request(): Promise<void> {
    if (this.#next === undefined) {
      this.#next = newWaiting();
      if (this.#sent === undefined) this.#parts.writer.add(this);
    }
    return this.#next.promise;
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#error === undefined && this.#hasChanges) void this.#request();
    }, WRITE_AFTER_MS);
  }

  #cut(): SessionWrite {
    const batch = this.#open;
    const { sets, drops, asks } = this.#index.changesOf(batch);
    const { name } = this.session;
    for (const { type, key } of drops)
      if (type === "turn-start") this.#parts.kept.deleteTurn(`${name}/${key}`);
    this.#open = new OpenBatch(batch.extent);
    this.#index = new BatchIndex();
    const hasEvents = batch.events > 0;
    const bytes = hasEvents ? batch.encode(this.#head) : new Uint8Array();
    const turns = [...batch.turns];
    const newTurns = turns.filter((turn) => !this.#knownTurns.has(turn));
    for (const turn of newTurns) this.#knownTurns.add(turn);
    // A turn that is told twice is written once.
    for (const turn of this.#knownTurns) {
      if (this.#knownTurns.size <= MOST_TURNS) break;
      this.#knownTurns.delete(turn);
    }
    const { puts, removes } = this.#parts.kept.takeChanges();
    // One literal: this is made for every commit of every session.
    return {
      session: this.session,
      epoch: this.fence,
      firstSeq: batch.firstSeq,
      nextSeq: batch.extent.nextSeq,
      previous: this.#head,
      head: hasEvents ? hash("sha256", bytes) : this.#head,
      bytes,
      lastTurn: batch.extent.lastTurn,
      calls: batch.calls,
      isClosed: batch.isClosed ?? null,
      openedAt: batch.firstAt ?? batch.lastAt,
      activeAt: batch.lastAt,
      turns,
      newTurns,
      isLast: this.#releasing !== undefined,
      sets,
      drops,
      asks,
      puts,
      removes,
    };
  }

  /** A commit that failed, or whose answer was lost, has happened or not: what the session is like now tells. */
  async #settle(): Promise<void> {
    const write = this.#sent?.write;
    if (write === undefined) return;
    try {
      const found = await this.#parts.claims.stateAfter(write);
      const isWritten = write.nextSeq > write.firstSeq && found?.hash === write.head;
      if (isWritten) this.written(found.news);
      else if (found?.epoch === this.fence && found.head === write.previous) this.#parts.writer.add(this);
      else this.#lose();
    } catch (error) {
      this.#break(errorText(error), error);
    }
  }

  async #end(): Promise<void> {
    clearTimeout(this.#timer);
    this.#parts.news.stop();
    // After the line that says that it is released: what is on its way does not give the lease back.
    await Promise.resolve();
    try {
      if (this.#error === undefined) await this.#request();
    } finally {
      const hasFailed = this.#error !== undefined;
      this.#error ??= closed(this.session.name);
      this.#parts.onEnd();
      if (hasFailed || this.#open.extent.nextSeq === 0) await this.#parts.claims.drop(this.session);
    }
  }

  #lose(): void {
    const message = `The session ${JSON.stringify(this.session.name)} was taken over by another owner. Nothing more is written here.`;
    this.#break(message, new ToolkeepError("session_lost", message));
  }

  /** The journal takes nothing more, and what is not flushed is lost. */
  #break(why: string, cause?: unknown): ToolkeepError {
    const what = `The journal of the session ${JSON.stringify(this.session.name)} cannot be continued: ${why}.`;
    this.#error ??= ToolkeepError.isInstance(cause)
      ? cause
      : new ToolkeepError("journal_broken", what, { cause });
    this.#lost.abort(this.#error);
    this.#sent?.waiting.reject(this.#error);
    this.#next?.reject(this.#error);
    this.#sent = undefined;
    this.#next = undefined;
    return this.#error;
  }
}

function closed(name: string): ToolkeepError {
  return new ToolkeepError("session_closed", `The journal of ${name} is closed.`);
}

/** Perhaps no caller waits for it: then the next flush finds out that it failed. */
function newWaiting(): PromiseWithResolvers<void> {
  const waiting = Promise.withResolvers<void>();
  waiting.promise.catch(() => undefined);
  return waiting;
}
