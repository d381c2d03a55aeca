import { hash } from "node:crypto";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setImmediate as immediate } from "node:timers/promises";
import { ToolkeepError } from "@toolkeep/core";
import { type ChainVerdict, type JournalEvent, type JournalQuery, linesOf } from "@toolkeep/core/journal";
import { BatchRows } from "./batch-rows.ts";
import { BatchWriter } from "./batch-writer.ts";
import { checkSession } from "./check-session.ts";
import { FilePending } from "./file-pending.ts";
import { forgetSession } from "./forget-session.ts";
import { HeadNote } from "./head-note.ts";
import { inTurns } from "./in-chunks.ts";
import { Leases } from "./leases.ts";
import { openDatabase, type WriteSettings } from "./open-database.ts";
import { Owner } from "./owner.ts";
import { KeptApprovals } from "./project-approvals.ts";
import { checkedBatches, type EventDatabase, readEvents } from "./read-events.ts";
import {
  listSessions,
  listWaiting,
  type SessionEntry,
  type SessionsQuery,
  type WaitingRequest,
} from "./session-index.ts";
import { type SessionRow, SessionRows } from "./session-rows.ts";
import { SqliteJournal } from "./sqlite-journal.ts";
import type { LeftAnswer, Store } from "./store.ts";
import { ownFile, ownFolder } from "./store-folder.ts";
import { unreadable } from "./unreadable.ts";

/** A store on SQLite: one database, and small files beside it for what a database should not hold. */
export class SqliteStore implements Store {
  readonly folder: string;
  readonly pending: FilePending;
  /** An edited call may hold secrets, as its arguments may. */
  readonly #answers: FilePending;
  readonly #db: DatabaseSync;
  readonly #owner: Owner;
  readonly #database: EventDatabase;
  readonly #leases: Leases;
  readonly #writer: BatchWriter;
  readonly #heads: string;
  readonly #settings: WriteSettings;
  readonly #journals = new Set<SqliteJournal>();

  constructor(folder: string, settings: WriteSettings) {
    this.folder = ownFolder(folder);
    this.#settings = settings;
    this.#db = openDatabase(ownFile(folder, "toolkeep.db"), settings);
    this.#heads = ownFolder(join(folder, "heads"));
    this.#owner = new Owner(folder);
    const filesIn = (name: string) =>
      new FilePending(ownFolder(join(folder, name)), this.#owner, settings.durability);
    this.pending = filesIn("pending");
    this.#answers = filesIn("answers");
    const sessions = new SessionRows(this.#db);
    this.#database = { db: this.#db, sessions, batches: new BatchRows(this.#db) };
    this.#leases = new Leases(this.#db, sessions, this.#owner);
    this.#writer = new BatchWriter(this.#db);
  }

  journal(sessionId: string): SqliteJournal {
    assertSessionId(sessionId);
    const session = this.#leases.claim(sessionId);
    const headNote = this.#headNote(sessionId);
    try {
      const parts = { database: this.#database, writer: this.#writer, leases: this.#leases, headNote };
      const journal = new SqliteJournal(session, parts);
      this.#removeSettled(session);
      for (const other of this.#journals) if (!other.isHeld) this.#journals.delete(other);
      this.#journals.add(journal);
      return journal;
    } catch (error) {
      this.#leases.release(session.id);
      throw error;
    }
  }

  sessions(query?: SessionsQuery): readonly SessionEntry[] {
    return listSessions(this.#database, this.#leases, query);
  }

  waiting(): readonly WaitingRequest[] {
    return listWaiting(this.#database);
  }

  leaveAnswer({ sessionId, requestId, answer }: LeftAnswer): void {
    this.#answers.put(
      `${answersOf(sessionId)}/${requestId}`,
      JSON.stringify({ sessionId, requestId, answer }),
    );
  }

  async takeAnswers(sessionId: string, give: (left: LeftAnswer) => Promise<boolean>): Promise<void> {
    const failed: unknown[] = [];
    for (const { key, argsText } of this.#answers.entriesOf(answersOf(sessionId))) {
      const left = readLeft(argsText);
      try {
        // What cannot be read is no answer.
        if (left === undefined || (await give(left))) this.#answers.delete(key);
      } catch (error) {
        failed.push(error);
      }
    }
    if (failed.length > 0) throw failed[0];
  }

  projectApprovals(project: string): KeptApprovals {
    return new KeptApprovals(this.#db, project);
  }

  async *events(sessionId: string, query?: JournalQuery): AsyncGenerator<JournalEvent> {
    try {
      yield* inTurns(readEvents(this.#database, this.#known(sessionId), query));
    } catch (error) {
      throw unreadable(this.folder, error);
    }
  }

  async *export(sessionId: string): AsyncGenerator<string> {
    try {
      const batches = checkedBatches(this.#database, this.#known(sessionId));
      for await (const batch of inTurns(batches)) yield* linesOf(batch).lines;
    } catch (error) {
      throw unreadable(this.folder, error);
    }
  }

  async verify(sessionId: string): Promise<ChainVerdict> {
    this.#known(sessionId);
    const checking = checkSession(this.#database, sessionId, () => this.#headNote(sessionId).read());
    for (;;) {
      const { done, value } = checking.next();
      if (done) return value;
      await immediate();
    }
  }

  forget(sessionId: string): void {
    forgetSession(this.#db, this.#known(sessionId), this.#leases);
    this.pending.keepOnly(sessionId);
    this.#answers.keepOnly(answersOf(sessionId));
    this.#headNote(sessionId).remove();
  }

  sweep({ olderThanMs }: { readonly olderThanMs: number }): readonly string[] {
    const before = Date.now() - olderThanMs;
    const old = this.sessions().filter(
      ({ activeAt, isInUse, state }) => activeAt < before && !isInUse && state !== "parked",
    );
    for (const { sessionId } of old) this.forget(sessionId);
    this.#owner.sweep();
    return old.map(({ sessionId }) => sessionId);
  }

  close(): void {
    if (!this.#db.isOpen) return;
    const failed = [...this.#journals].flatMap((journal) => errorOfClosing(journal));
    this.#owner.leave();
    this.#db.close();
    if (failed.length > 0) throw failed[0];
  }

  /** Arguments of turns that are over, or never began, are of no use to anybody. */
  #removeSettled({ id, name }: SessionRow): void {
    const standingEvents = this.#database.sessions.standingEvents(id);
    const unfinished = standingEvents.filter(({ type }) => type === "turn-start").map(({ key }) => key);
    this.pending.keepOnly(name, new Set(unfinished));
  }

  #headNote(sessionId: string): HeadNote {
    return new HeadNote(this.#heads, sessionId, this.#settings.durability);
  }

  #rowOf(sessionId: string): SessionRow | undefined {
    try {
      return this.#database.sessions.byName(sessionId);
    } catch (error) {
      throw unreadable(this.folder, error);
    }
  }

  #known(sessionId: string): SessionRow {
    const found = this.#rowOf(sessionId);
    if (found !== undefined) return found;
    throw new ToolkeepError(
      "invalid_option",
      `There is no session ${JSON.stringify(sessionId)} in ${this.folder}.`,
    );
  }
}

/**
 * Keys of raw arguments begin with the session and a `/`. With one in the id, what is one session's could be
 * taken for another's.
 */
function assertSessionId(sessionId: string): void {
  if (sessionId !== "" && !sessionId.includes("/")) return;
  const diagnostic = sessionId === "" ? "A session needs an id." : "The id of a session must not hold a `/`.";
  throw new ToolkeepError("invalid_option", diagnostic);
}

/** Under which an answer is kept: anybody may leave one for any id, so an id must not be the beginning of another. */
function answersOf(sessionId: string): string {
  return hash("sha256", sessionId);
}

/** One that cannot write what is left does not keep the others from it. */
function errorOfClosing(journal: SqliteJournal): readonly unknown[] {
  try {
    journal.close();
    return [];
  } catch (error) {
    return [error];
  }
}

function readLeft(text: string): LeftAnswer | undefined {
  try {
    return JSON.parse(text) as LeftAnswer;
  } catch {
    return undefined;
  }
}
