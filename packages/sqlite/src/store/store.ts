import type { SessionStore } from "@toolkeep/core";
import type {
  ChainVerdict,
  JournalBatch,
  JournalEvent,
  JournalQuery,
  OpenJournalOptions,
  SessionsQuery,
  StoredSession,
} from "@toolkeep/core/journal";
import type { FolderSidecar } from "../outputs/folder-sidecar.ts";
import type { WriteSettings } from "./database.ts";
import type { EraseOptions } from "./erase-payloads.ts";
import type { StoredApprovals } from "./project-approvals.ts";
import type { SessionHead } from "./sessions.ts";
import type { SqliteJournal } from "./sqlite-journal.ts";

/** Options of {@link openSqliteStore}. */
export interface SqliteStoreOptions extends Partial<WriteSettings> {
  /** The folder of the store. Created if it does not exist. */
  readonly path: string;
}

/** Options of `store.sweep`. */
export interface SweepStoreOptions {
  readonly olderThanMs: number;
  /** Whether a session is kept all the same. */
  isKept?(sessionId: string): boolean | Promise<boolean>;
  /** The most sessions that are removed at once, the oldest first. Default: all. */
  readonly limit?: number;
}

/**
 * The store that `openSqliteStore` returns: a `SessionStore` in one folder, with what programs need to list, read and verify
 * sessions. Several processes may have it open at once.
 */
export interface SqliteStore extends SessionStore {
  /** The folder of the store, as an absolute path. */
  readonly path: string;
  open(sessionId: string, options?: OpenJournalOptions): Promise<SqliteJournal>;
  /**
   * Opens the journal of a session for writing, as `open` does, without a promise.
   * @throws ToolkeepError `session_in_use` while another process has it, `journal_broken` when its end was changed,
   * `invalid_option` for an id that is empty or contains a `/`.
   */
  journal(sessionId: string, options?: OpenJournalOptions): SqliteJournal;
  /** The sessions of the store, latest activity first. */
  sessions(query?: SessionsQuery): readonly StoredSession[];
  /** The events of a session, also while a process writes to it. */
  events(sessionId: string, query?: JournalQuery): AsyncIterable<JournalEvent>;
  /** The same events, each as the line of JSON that was written. */
  export(sessionId: string): AsyncIterable<string>;
  /** Verifies everything that is kept of a session, and says where it was changed. */
  verify(sessionId: string): Promise<ChainVerdict>;
  /** Where the record of every session ends, by id; the record of the store itself is among them. */
  heads(): readonly SessionHead[];
  /** The hash that the chain of a session had when `nextSeq` was its next event; `undefined` if it never ended there. */
  headAt(sessionId: string, nextSeq: number): string | undefined;
  /** The batches of a session, in order, each verified first. */
  batches(sessionId: string): AsyncIterable<JournalBatch>;
  /**
   * Removes the content of the calls of a session: arguments, results, questions. Its chain stays whole; an event says
   * what was erased. Returns the numbers of the events.
   * @throws ToolkeepError `session_in_use`, `invalid_option` while a turn is not finished.
   */
  erase(sessionId: string, options?: EraseOptions): Promise<readonly number[]>;
  /** Forgets unchanged sessions that nothing uses or waits for, and that were idle for this time. Returns their ids. */
  sweep(options: SweepStoreOptions): Promise<readonly string[]>;
  projectApprovals(project: string): StoredApprovals;
  outputs(...args: Parameters<NonNullable<SessionStore["outputs"]>>): FolderSidecar;
}
