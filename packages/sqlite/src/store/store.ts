import type { SessionStore } from "@toolkeep/core";
import type { ChainVerdict, JournalEvent, JournalQuery, OpenJournalOptions } from "@toolkeep/core/journal";
import type { FolderSidecar } from "../outputs/folder-sidecar.ts";
import type { WriteSettings } from "./database.ts";
import type { StoredApprovals } from "./project-approvals.ts";
import type { SessionEntry, SessionsQuery } from "./sessions.ts";
import type { SqliteJournal } from "./sqlite-journal.ts";

/** Options of {@link openStore}. */
export interface StoreOptions extends Partial<WriteSettings> {
  /** The folder of the store. Created if it does not exist. */
  readonly path: string;
}

/**
 * The store that `openStore` returns: a `SessionStore` in one folder, with what programs need to list, read and verify
 * sessions. Several processes may have it open at once.
 */
export interface Store extends SessionStore {
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
  sessions(query?: SessionsQuery): readonly SessionEntry[];
  /** The events of a session, also while a process writes to it. */
  events(sessionId: string, query?: JournalQuery): AsyncIterable<JournalEvent>;
  /** The same events, each as the line of JSON that was written. */
  export(sessionId: string): AsyncIterable<string>;
  /** Verifies everything that is kept of a session, and says where it was changed. */
  verify(sessionId: string): Promise<ChainVerdict>;
  /** Forgets sessions that are not in use, do not wait for a person and had no activity for this time. Returns their ids. */
  sweep(options: { readonly olderThanMs: number }): Promise<readonly string[]>;
  projectApprovals(project: string): StoredApprovals;
  outputs(...args: Parameters<NonNullable<SessionStore["outputs"]>>): FolderSidecar;
}
