import { join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { GivenAnswer, WaitingRequest } from "@toolkeep/core";
import { endExpired } from "@toolkeep/core/internal";
import type {
  AnswerOptions,
  ChainVerdict,
  JournalBatch,
  JournalEvent,
  JournalQuery,
  LeftAnswer,
  LeftMessage,
  Message,
  OpenJournalOptions,
  OutputOptions,
  RequestRef,
  SessionForget,
  SessionsQuery,
  StoredSession,
  UnfinishedTurn,
  WaitingQuery,
} from "@toolkeep/core/journal";
import { type FolderSidecar, folderSidecar } from "../outputs/folder-sidecar.ts";
import { BatchRows, BatchWriter, forgetSession, sha256 } from "./batches.ts";
import { errorOfClosing } from "./closing-error.ts";
import { openDatabase, type WriteSettings } from "./database.ts";
import { type EraseOptions, erasePayloads } from "./erase-payloads.ts";
import { FileLocks } from "./file-locks.ts";
import { FilePending } from "./file-pending.ts";
import { HeadNote } from "./head-note.ts";
import { Inbox } from "./inbox.ts";
import { inUse, Leases } from "./leases.ts";
import { Owner } from "./owner.ts";
import { StoredApprovals } from "./project-approvals.ts";
import type { EventDatabase } from "./read-events.ts";
import { assertAnswerTo, expiredRequests, requestState, stillWaits, waitingRequests } from "./requests.ts";
import { SessionRecords } from "./session-records.ts";
import { type SessionRow, SessionRows, STORE_RECORD } from "./session-rows.ts";
import { assertSessionId, listSessions, listUnfinished, type SessionHead } from "./sessions.ts";
import { SqliteJournal } from "./sqlite-journal.ts";
import type { SqliteStore, SweepStoreOptions } from "./store.ts";
import { ownFile, ownFolder } from "./store-folder.ts";
import { StoreRecord } from "./store-record.ts";
import { sweepSessions } from "./sweep-sessions.ts";
import { VerifiedSessions } from "./verified-sessions.ts";

/** How often an open store looks for what other processes wrote. */
const POLL_MS = 200;

/** A store on SQLite: one database, and files for content that must be possible to wipe. */
export class BaseSqliteStore implements SqliteStore {
  readonly path: string;
  readonly pending: FilePending;
  readonly locks: FileLocks;
  readonly #db: DatabaseSync;
  readonly #owner: Owner;
  readonly #database: EventDatabase;
  readonly #leases: Leases;
  readonly #writer: BatchWriter;
  readonly #record: StoreRecord;
  readonly #records: SessionRecords;
  readonly #inbox: Inbox;
  readonly #heads: string;
  readonly #outputs: string;
  readonly #settings: WriteSettings;
  readonly #journals = new Set<SqliteJournal>();
  readonly #verified = new VerifiedSessions();
  readonly #dataVersion: StatementSync;
  #seenVersion: unknown;
  #poll: NodeJS.Timeout | undefined;

  constructor(path: string, settings: WriteSettings) {
    this.path = ownFolder(path);
    this.#settings = settings;
    this.#db = openDatabase(ownFile(path, "toolkeep.db"), settings);
    this.#heads = ownFolder(join(path, "heads"));
    this.#outputs = join(path, "outputs");
    this.#owner = new Owner(path);
    const filesIn = (name: string) =>
      new FilePending(ownFolder(join(path, name)), this.#owner, settings.durability);
    this.pending = filesIn("pending");
    this.locks = new FileLocks(path);
    this.#inbox = new Inbox(this.#db, filesIn("inbox"));
    const sessions = new SessionRows(this.#db);
    this.#database = { db: this.#db, sessions, batches: new BatchRows(this.#db) };
    this.#leases = new Leases(this.#db, sessions, this.#owner);
    this.#writer = new BatchWriter(this.#db);
    this.#record = new StoreRecord(this.#database, this.#writer, this.#headNote(STORE_RECORD));
    const noted = (sessionId: string) => this.#headNote(sessionId).read();
    this.#records = new SessionRecords(path, this.#database, { record: this.#record, noted });
    this.#dataVersion = this.#db.prepare("PRAGMA data_version");
  }

  async open(sessionId: string, options?: OpenJournalOptions): Promise<SqliteJournal> {
    return this.journal(sessionId, options);
  }

  async isInUse(sessionId: string): Promise<boolean> {
    const session = this.#database.sessions.byName(sessionId);
    return session !== undefined && this.#leases.isHeld(session);
  }

  journal(sessionId: string, options?: OpenJournalOptions): SqliteJournal {
    assertSessionId(sessionId);
    const session = this.#leases.claim(sessionId, options);
    const headNote = this.#headNote(sessionId);
    try {
      const journal = new SqliteJournal(session, {
        database: this.#database,
        writer: this.#writer,
        leases: this.#leases,
        inbox: this.#inbox,
        headNote,
        verified: this.#verified,
      });
      this.#removeSettled(session);
      for (const other of this.#journals) if (!other.isHeld) this.#journals.delete(other);
      this.#journals.add(journal);
      this.#poll ??= setInterval(() => this.#lookAround(), POLL_MS).unref();
      return journal;
    } catch (error) {
      this.#leases.release(session);
      throw error;
    }
  }

  sessions(query?: SessionsQuery): readonly StoredSession[] {
    return listSessions(this.#database, this.#leases, query);
  }

  async waiting(query: WaitingQuery = {}): Promise<readonly WaitingRequest[]> {
    return waitingRequests(this.#database, this.#inbox, query);
  }

  async expired(now: number, limit: number): Promise<readonly WaitingRequest[]> {
    return expiredRequests(this.#database, now).slice(0, limit);
  }

  async unfinished(limit: number): Promise<readonly UnfinishedTurn[]> {
    return [...listUnfinished(this.#database, this.#leases, this.#inbox).take(limit)];
  }

  async answer(request: RequestRef, answer: GivenAnswer, options?: AnswerOptions): Promise<void> {
    assertAnswerTo(request, answer, this.#database);
    this.#inbox.answer(request, answer, options);
    this.#tell(request.sessionId);
  }

  takeAnswers(sessionId: string, give: (left: LeftAnswer) => Promise<boolean>): Promise<void> {
    return this.#inbox.takeAnswers(sessionId, give);
  }

  async sendMessage(sessionId: string, message: Message): Promise<void> {
    this.#inbox.send(sessionId, message);
    this.#tell(sessionId);
  }

  async takeMessages(
    sessionId: string,
    give?: (left: LeftMessage) => Promise<boolean>,
  ): Promise<readonly Message[]> {
    return this.#inbox.takeMessages(sessionId, give);
  }

  async cancel(sessionId: string, turn: string): Promise<void> {
    this.#inbox.cancel(sessionId, turn);
    this.#tell(sessionId);
  }

  outputs(sessionId: string, { redactor }: OutputOptions): FolderSidecar {
    return folderSidecar({ folder: this.#outputs, sessionId, redactor });
  }

  projectApprovals(project: string): StoredApprovals {
    return new StoredApprovals(this.#db, project, this.#record);
  }

  events(sessionId: string, query?: JournalQuery): AsyncGenerator<JournalEvent> {
    return this.#records.events(sessionId, query);
  }

  export(sessionId: string): AsyncGenerator<string> {
    return this.#records.export(sessionId);
  }

  batches(sessionId: string): AsyncGenerator<JournalBatch> {
    return this.#records.batches(sessionId);
  }

  verify(sessionId: string): Promise<ChainVerdict> {
    return this.#records.verify(sessionId);
  }

  heads(): readonly SessionHead[] {
    return this.#records.heads();
  }

  headAt(sessionId: string, nextSeq: number): string | undefined {
    return this.#records.headAt(sessionId, nextSeq);
  }

  async erase(sessionId: string, options: EraseOptions = {}): Promise<readonly number[]> {
    this.#records.existing(sessionId);
    const journal = this.journal(sessionId);
    try {
      await endExpired(journal, async (request) => requestState(this.#database, request));
      const session = this.#records.existing(sessionId);
      this.#removeSettled(session);
      const erased = await erasePayloads(this.#database, journal, session, options);
      if (options.callId === undefined) await folderSidecar({ folder: this.#outputs, sessionId }).clear();
      return erased;
    } finally {
      journal.close();
    }
  }

  forget(sessionId: string): Promise<void> {
    return this.#remove(sessionId, "forgotten");
  }

  async #remove(sessionId: string, why: SessionForget["why"], end?: number): Promise<void> {
    assertSessionId(sessionId);
    const session = this.#records.existing(sessionId);
    const { nextSeq, head, activeAt } = session;
    if (end !== undefined && end !== nextSeq) throw inUse(session, false);
    const entry = { type: "session-forget", session: sha256(Buffer.from(sessionId)), why } as const;
    const forgotten = { ...entry, nextSeq, head, activeAt };
    forgetSession(this.#db, session, this.#leases, () => this.#record.append(forgotten));
    this.#record.note();
    this.pending.keepOnly(sessionId);
    this.#inbox.forget(sessionId);
    this.#headNote(sessionId).remove();
    await folderSidecar({ folder: this.#outputs, sessionId }).clear();
  }

  async sweep(options: SweepStoreOptions): Promise<readonly string[]> {
    const swept = await sweepSessions(this, options, {
      stillWaits: (sessionId, activeAt) => stillWaits(this.#database, sessionId, activeAt),
      remove: (sessionId, end) => this.#remove(sessionId, "swept", end),
    });
    this.#owner.sweep();
    return swept;
  }

  async close(): Promise<void> {
    if (!this.#db.isOpen) return;
    clearInterval(this.#poll);
    const failed = [...this.#journals].flatMap((journal) => errorOfClosing(journal));
    this.pending.close();
    this.#inbox.close();
    this.#owner.leave();
    this.#db.close();
    if (failed.length > 0) throw failed[0];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #tell(sessionId: string): void {
    for (const journal of this.#journals) if (journal.sessionId === sessionId) journal.tellNews();
  }

  /** Asks SQLite whether another connection wrote, and only then reads. */
  #lookAround(): void {
    try {
      const version = this.#dataVersion.get()?.["data_version"];
      if (version === this.#seenVersion) return;
      this.#seenVersion = version;
      for (const journal of this.#journals) {
        journal.checkLease();
        journal.tellNews();
      }
    } catch {
      // The database is busy or broken; the next flush or poll finds out.
      this.#seenVersion = undefined;
    }
  }

  /** Removes arguments of turns that are finished or never began. */
  #removeSettled({ id, name }: SessionRow): void {
    const standingEvents = this.#database.sessions.standingEvents(id);
    const unfinished = standingEvents.filter(({ type }) => type === "turn-start").map(({ key }) => key);
    this.pending.keepOnly(name, new Set(unfinished));
  }

  #headNote(sessionId: string): HeadNote {
    return new HeadNote(this.#heads, sessionId, this.#settings.durability);
  }
}
