import type { GivenAnswer, SessionStore, WaitingRequest } from "@toolkeep/core";
import { endExpired } from "@toolkeep/core/internal";
import {
  type AnswerOptions,
  CHAIN_START,
  type ChainVerdict,
  type JournalBatch,
  type JournalEvent,
  type JournalQuery,
  type LeftAnswer,
  type LeftMessage,
  linesOf,
  type Message,
  type OpenJournal,
  type OpenJournalOptions,
  type RequestRef,
  type SessionsQuery,
  type StoredSession,
  type UnfinishedTurn,
  type WaitingQuery,
} from "@toolkeep/core/journal";
import type { Database } from "../database/database.ts";
import { KeptOutputs } from "../outputs/kept-outputs.ts";
import { OutputReferences } from "../outputs/output-references.ts";
import type { OutputStorage } from "../outputs/output-storage.ts";
import { AdvisoryLocks } from "./advisory-locks.ts";
import { checkSession } from "./check-session.ts";
import { Claims, inUse } from "./claims.ts";
import { type EraseOptions, erasePayloads } from "./erase-payloads.ts";
import { GroupWriter } from "./group-writer.ts";
import { Inbox } from "./inbox.ts";
import type { KeyRing } from "./key-ring.ts";
import { Owner } from "./owner.ts";
import type { PostgresJournal } from "./postgres-journal.ts";
import { StoredApprovals } from "./project-approvals.ts";
import { EventReader } from "./read-events.ts";
import { removeSessions } from "./remove-sessions.ts";
import { Requests } from "./requests.ts";
import { rotateKeys } from "./rotate-keys.ts";
import { existingSession, listSessions } from "./session-list.ts";
import { markOf } from "./session-mark.ts";
import { SessionOpener } from "./session-opener.ts";
import { assertSessionId, noSession, STORE_RECORD } from "./session-rows.ts";
import type { PostgresStore } from "./store.ts";
import { type PostgresStatus, readStatus } from "./store-status.ts";
import { type OpenSession, StoredPending } from "./stored-pending.ts";
import { type SweepOptions, sweepSessions } from "./sweep-sessions.ts";

interface StoreParts {
  readonly database: Database;
  readonly keys: KeyRing;
  readonly termMs: number;
  /** Where the bytes of large outputs are. */
  readonly outputs: OutputStorage | undefined;
  readonly endsPool: boolean;
}

/** A store on PostgreSQL. Several processes may have the same one open. */
export class BasePostgresStore implements PostgresStore {
  readonly pending: StoredPending;
  readonly locks: AdvisoryLocks;
  readonly outputs?: NonNullable<SessionStore["outputs"]>;
  /** For benchmarks and tests: how many commits there were. */
  readonly writer: GroupWriter;
  readonly #parts: StoreParts;
  readonly #owner: Owner;
  readonly #claims: Claims;
  readonly #inbox: Inbox;
  readonly #requests: Requests;
  readonly #reader: EventReader;
  readonly #opener: SessionOpener;
  readonly #references: OutputReferences;
  readonly #outputs: KeptOutputs | undefined;
  /** The sessions that are open here, by name. */
  readonly #open = new Map<string, OpenSession>();
  /** The same ones, by what notices call them. */
  readonly #byMark = new Map<string, OpenSession>();
  readonly #opening = new Set<string>();
  #closing: Promise<void> | undefined;

  constructor(parts: StoreParts) {
    const { database, keys, termMs } = parts;
    this.#parts = parts;
    this.#references = new OutputReferences(database);
    const outputs =
      parts.outputs === undefined ? undefined : new KeptOutputs(this.#references, parts.outputs);
    this.#outputs = outputs;
    if (outputs !== undefined) this.outputs = (sessionId) => outputs.of(sessionId);
    this.#owner = new Owner(database, {
      termMs,
      onNotice: (notice) => this.#receive(notice),
      onReturn: () => void this.#lookAround([...this.#open.values()]),
    });
    this.locks = new AdvisoryLocks(this.#owner, database.schema);
    this.#claims = new Claims(database, this.#owner);
    this.writer = new GroupWriter(database);
    this.#inbox = new Inbox(database, keys);
    this.#requests = new Requests(database);
    this.#reader = new EventReader(database);
    this.pending = new StoredPending(database, keys, (sessionId) => this.#open.get(sessionId));
    const { writer } = this;
    this.#opener = new SessionOpener({
      ...{ database, keys, claims: this.#claims, writer, inbox: this.#inbox },
      onEnd: (session) => this.#ended(session),
    });
  }

  start(): Promise<void> {
    return this.#owner.start();
  }

  async open(sessionId: string, options: OpenJournalOptions = {}): Promise<OpenJournal> {
    return this.#journal(sessionId, options);
  }

  waiting(query?: WaitingQuery): Promise<readonly WaitingRequest[]> {
    return this.#requests.waiting(query);
  }

  expired(now: number, limit: number): Promise<readonly WaitingRequest[]> {
    return this.#requests.expired(now, limit);
  }

  unfinished(limit: number): Promise<readonly UnfinishedTurn[]> {
    return this.#requests.unfinished(limit, this.#owner);
  }

  async answer(request: RequestRef, answer: GivenAnswer, options?: AnswerOptions): Promise<void> {
    await this.#requests.assertAnswer(request, answer);
    await this.#inbox.answer(request, answer, options);
  }

  takeAnswers(sessionId: string, give: (left: LeftAnswer) => Promise<boolean>): Promise<void> {
    return this.#inbox.takeAnswers(sessionId, give);
  }

  sendMessage(sessionId: string, message: Message): Promise<void> {
    return this.#inbox.send(sessionId, message);
  }

  takeMessages(
    sessionId: string,
    give?: (left: LeftMessage) => Promise<boolean>,
  ): Promise<readonly Message[]> {
    return this.#inbox.takeMessages(sessionId, give);
  }

  cancel(sessionId: string, turn: string): Promise<void> {
    return this.#inbox.cancel(sessionId, turn);
  }

  projectApprovals(project: string): StoredApprovals {
    return new StoredApprovals(this.#parts.database, project);
  }

  sessions(query: SessionsQuery = {}): Promise<readonly StoredSession[]> {
    return listSessions(this.#parts.database, query);
  }

  async *events(sessionId: string, query?: JournalQuery): AsyncGenerator<JournalEvent> {
    yield* this.#reader.events(await existingSession(this.#parts.database, sessionId), query);
  }

  async *export(sessionId: string): AsyncGenerator<string> {
    for await (const batch of this.batches(sessionId)) yield* linesOf(batch).lines;
  }

  async *batches(sessionId: string): AsyncGenerator<JournalBatch> {
    yield* this.#reader.checked(await existingSession(this.#parts.database, sessionId));
  }

  async verify(sessionId: string): Promise<ChainVerdict> {
    const verdict = await checkSession(this.#parts.database, sessionId);
    if (verdict !== undefined) return verdict;
    if (sessionId === STORE_RECORD) return { intact: true, head: CHAIN_START, batches: 0 };
    throw noSession(sessionId);
  }

  async erase(sessionId: string, options: EraseOptions = {}): Promise<readonly number[]> {
    await existingSession(this.#parts.database, sessionId);
    const journal = await this.#journal(sessionId, {});
    try {
      await endExpired(journal, (request) => this.#requests.state(request));
      const erased = await erasePayloads(this.#parts.database, journal, options);
      await this.#references.remove(sessionId, options.callId);
      return erased;
    } finally {
      await journal.release();
      await this.#outputs?.collect();
    }
  }

  async forget(sessionId: string): Promise<void> {
    assertSessionId(sessionId);
    await existingSession(this.#parts.database, sessionId);
    await removeSessions(this.#parts.database, [sessionId], { why: "forgotten" });
    await this.#outputs?.collect();
  }

  async sweep(options: SweepOptions): Promise<readonly string[]> {
    const swept = await sweepSessions(this.#parts.database, options);
    await this.#outputs?.collect();
    return swept;
  }

  rotateKeys(): Promise<number> {
    return rotateKeys(this.#parts.database, this.#parts.keys);
  }

  status(): Promise<PostgresStatus> {
    return readStatus(this.#parts.database);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #journal(sessionId: string, options: OpenJournalOptions): Promise<PostgresJournal> {
    const before = this.#open.get(sessionId);
    if (this.#opening.has(sessionId) || (before !== undefined && options.steal !== true))
      throw inUse(sessionId, "this process has it open already");
    this.#opening.add(sessionId);
    try {
      const opened = await this.#opener.open(sessionId, options);
      before?.journal.checkLease(undefined);
      this.#open.set(sessionId, opened);
      this.#byMark.set(markOf(sessionId), opened);
      return opened.journal;
    } finally {
      this.#opening.delete(sessionId);
    }
  }

  #ended(session: OpenSession): void {
    const { name } = session.journal.session;
    if (this.#open.get(name) !== session) return;
    this.#open.delete(name);
    this.#byMark.delete(markOf(name));
  }

  /** Something was sent to a session, or one was taken over. */
  #receive(notice: string): void {
    const [what, mark = ""] = notice.split(" ");
    const session = this.#byMark.get(mark);
    if (session === undefined) return;
    if (what === "news") session.journal.lookForNews();
    else void this.#lookAround([session]);
  }

  /** Compares leases with the database, and looks for what was sent. */
  async #lookAround(sessions: readonly OpenSession[]): Promise<void> {
    const journals = sessions.map(({ journal }) => journal);
    try {
      const epochs = await this.#claims.epochsOf(journals.map(({ session }) => session));
      for (const journal of journals) {
        journal.checkLease(epochs.get(journal.session.id));
        journal.lookForNews();
      }
    } catch {
      // A database that does not answer is found out by the next flush.
    }
  }

  async #close(): Promise<void> {
    const released = await Promise.allSettled(
      [...this.#open.values()].map(({ journal }) => journal.release()),
    );
    this.#owner.close();
    this.writer.close();
    if (this.#parts.endsPool) await this.#parts.database.end();
    const failed = released.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  }
}
