import { join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setImmediate as immediate } from "node:timers/promises";
import { type GivenAnswer, ToolkeepError, type WaitingRequest } from "@toolkeep/core";
import {
  type AnswerOptions,
  type ChainVerdict,
  type JournalEvent,
  type JournalQuery,
  type LeftAnswer,
  linesOf,
  type Message,
  type OpenJournalOptions,
  type OutputOptions,
  type RequestRef,
  type UnfinishedTurn,
  type WaitingQuery,
} from "@toolkeep/core/journal";
import { type FolderSidecar, folderSidecar } from "../outputs/folder-sidecar.ts";
import { BatchRows, BatchWriter, forgetSession } from "./batches.ts";
import { checkSession } from "./check-session.ts";
import { openDatabase, unreadableStore, type WriteSettings } from "./database.ts";
import { FilePending } from "./file-pending.ts";
import { HeadNote } from "./head-note.ts";
import { Inbox } from "./inbox.ts";
import { Leases } from "./leases.ts";
import { Owner } from "./owner.ts";
import { StoredApprovals } from "./project-approvals.ts";
import { checkedBatches, type EventDatabase, inChunks, readEvents } from "./read-events.ts";
import {
  listRequests,
  listSessions,
  listUnfinished,
  type SessionEntry,
  type SessionRow,
  SessionRows,
  type SessionsQuery,
} from "./sessions.ts";
import { SqliteJournal } from "./sqlite-journal.ts";
import type { Store } from "./store.ts";
import { ownFile, ownFolder } from "./store-folder.ts";
import { VerifiedSessions } from "./verified-sessions.ts";

/** How often an open store looks for what other processes wrote. */
const POLL_MS = 200;

/** A store on SQLite: one database, and files for content that must be possible to wipe. */
export class SqliteStore implements Store {
  readonly path: string;
  readonly pending: FilePending;
  readonly #db: DatabaseSync;
  readonly #owner: Owner;
  readonly #database: EventDatabase;
  readonly #leases: Leases;
  readonly #writer: BatchWriter;
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
    this.#inbox = new Inbox(this.#db, filesIn("inbox"));
    const sessions = new SessionRows(this.#db);
    this.#database = { db: this.#db, sessions, batches: new BatchRows(this.#db) };
    this.#leases = new Leases(this.#db, sessions, this.#owner);
    this.#writer = new BatchWriter(this.#db);
    this.#dataVersion = this.#db.prepare("PRAGMA data_version");
  }

  async open(sessionId: string, options?: OpenJournalOptions): Promise<SqliteJournal> {
    return this.journal(sessionId, options);
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

  sessions(query?: SessionsQuery): readonly SessionEntry[] {
    return listSessions(this.#database, this.#leases, query);
  }

  async waiting(query: WaitingQuery = {}): Promise<readonly WaitingRequest[]> {
    const now = Date.now();
    const isAnswered = this.#inbox.answered();
    return listRequests(this.#database, query)
      .filter(({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt > now)
      .filter(({ sessionId, request }) => !isAnswered({ sessionId, id: request.id }))
      .slice(0, query.limit);
  }

  async expired(now: number, limit: number): Promise<readonly WaitingRequest[]> {
    return listRequests(this.#database)
      .filter(({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt <= now)
      .slice(0, limit);
  }

  async unfinished(limit: number): Promise<readonly UnfinishedTurn[]> {
    return [...listUnfinished(this.#database, this.#leases, this.#inbox).take(limit)];
  }

  async answer(request: RequestRef, answer: GivenAnswer, options?: AnswerOptions): Promise<void> {
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

  async takeMessages(sessionId: string): Promise<readonly Message[]> {
    return this.#inbox.takeMessages(sessionId);
  }

  async cancel(sessionId: string, turn: string): Promise<void> {
    this.#inbox.cancel(sessionId, turn);
    this.#tell(sessionId);
  }

  outputs(sessionId: string, { redactor }: OutputOptions): FolderSidecar {
    return folderSidecar({ folder: this.#outputs, sessionId, redactor });
  }

  projectApprovals(project: string): StoredApprovals {
    return new StoredApprovals(this.#db, project);
  }

  async *events(sessionId: string, query?: JournalQuery): AsyncGenerator<JournalEvent> {
    try {
      yield* inChunks(readEvents(this.#database, this.#existing(sessionId), query));
    } catch (error) {
      throw unreadableStore(this.path, error);
    }
  }

  async *export(sessionId: string): AsyncGenerator<string> {
    try {
      const batches = checkedBatches(this.#database, this.#existing(sessionId));
      for await (const batch of inChunks(batches)) yield* linesOf(batch).lines;
    } catch (error) {
      throw unreadableStore(this.path, error);
    }
  }

  async verify(sessionId: string): Promise<ChainVerdict> {
    this.#existing(sessionId);
    const checking = checkSession(this.#database, sessionId, () => this.#headNote(sessionId).read());
    for (;;) {
      const { done, value } = checking.next();
      if (done) return value;
      await immediate();
    }
  }

  async forget(sessionId: string): Promise<void> {
    forgetSession(this.#db, this.#existing(sessionId), this.#leases);
    this.pending.keepOnly(sessionId);
    this.#inbox.forget(sessionId);
    this.#headNote(sessionId).remove();
    await folderSidecar({ folder: this.#outputs, sessionId }).clear();
  }

  async sweep({ olderThanMs }: { readonly olderThanMs: number }): Promise<readonly string[]> {
    const before = Date.now() - olderThanMs;
    const old = this.sessions().filter(
      ({ activeAt, isInUse, state }) => activeAt < before && !isInUse && state !== "parked",
    );
    for (const { sessionId } of old) await this.forget(sessionId);
    this.#owner.sweep();
    return old.map(({ sessionId }) => sessionId);
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

  #existing(sessionId: string): SessionRow {
    if (typeof sessionId !== "string") {
      const message = `A session id is a string, such as one of \`store.sessions()\`; got ${String(sessionId)}.`;
      throw new ToolkeepError("invalid_option", message);
    }
    let found: SessionRow | undefined;
    try {
      found = this.#database.sessions.byName(sessionId);
    } catch (error) {
      throw unreadableStore(this.path, error);
    }
    if (found !== undefined) return found;
    const message = `There is no session ${JSON.stringify(sessionId)} in ${this.path}.`;
    throw new ToolkeepError("invalid_option", message);
  }
}

/** Keys of raw arguments begin with the session id and a `/`. An id that contains one could match another session. */
function assertSessionId(sessionId: string): void {
  if (sessionId !== "" && !sessionId.includes("/")) return;
  const reason =
    sessionId === "" ? "The session id is empty." : "The id of a session must not contain a `/`.";
  throw new ToolkeepError("invalid_option", reason);
}

/** A journal that cannot be written does not keep the others from being closed. */
function errorOfClosing(journal: SqliteJournal): readonly unknown[] {
  try {
    journal.close();
    return [];
  } catch (error) {
    return [error];
  }
}
