import type { GivenAnswer } from "@toolkeep/core";
import type { ChainVerdict, JournalEvent, JournalQuery, PendingArguments } from "@toolkeep/core/journal";
import type { WriteSettings } from "./open-database.ts";
import type { KeptApprovals } from "./project-approvals.ts";
import type { SessionEntry, SessionsQuery, WaitingRequest } from "./session-index.ts";
import type { SqliteJournal } from "./sqlite-journal.ts";

/** Options of {@link openStore}. */
export interface StoreOptions extends Partial<WriteSettings> {
  /** The folder of the store. Created if it does not exist. */
  readonly path: string;
}

/** An answer on its way from one process to another. */
export interface LeftAnswer {
  readonly sessionId: string;
  readonly requestId: string;
  readonly answer: GivenAnswer;
}

/** Sessions that outlive their process, in one folder. Several processes may have it open at once. */
export interface Store {
  readonly folder: string;
  /**
   * Opens the journal of a session for writing, which one process may at a time.
   * @throws ToolkeepError `session_in_use` while another has it, `journal_broken` when its end is not what was written,
   * `invalid_option` for an id that is empty or holds a `/`.
   */
  journal(sessionId: string): SqliteJournal;
  /** Raw arguments of calls that are not settled. */
  readonly pending: PendingArguments;
  /** Latest activity first. */
  sessions(query?: SessionsQuery): readonly SessionEntry[];
  /** What waits for a person in any session, oldest first. */
  waiting(): readonly WaitingRequest[];
  /** Leaves an answer for whoever has the session open, now or later. What comes of it, that session decides. */
  leaveAnswer(left: LeftAnswer): void;
  /**
   * Gives the answers that were left for a session. One is removed when `give` resolves with `true`: hand it to
   * `session.answer`, and resolve when that has, or has refused it. What fails, or is not taken yet, stays and is given
   * again. @throws what kept one from being given, after the others were.
   */
  takeAnswers(sessionId: string, give: (left: LeftAnswer) => Promise<boolean>): Promise<void>;
  /** Approvals that outlive sessions. Name a project by the real path of its folder. */
  projectApprovals(project: string): KeptApprovals;
  /** The events of a session, whoever writes to it. */
  events(sessionId: string, query?: JournalQuery): AsyncIterable<JournalEvent>;
  /** The same, each as the line of JSON that was written. */
  export(sessionId: string): AsyncIterable<string>;
  /** Checks everything that is kept of a session, and says where it is not what was written. */
  verify(sessionId: string): Promise<ChainVerdict>;
  /**
   * Removes a session and its pending arguments for good.
   * @throws ToolkeepError `session_in_use`.
   */
  forget(sessionId: string): void;
  /** Forgets the sessions that nobody uses, that wait for nobody, and that had no activity for so long. Gives their ids. */
  sweep(options: { readonly olderThanMs: number }): readonly string[];
  /** Writes what is left, gives every lease back, and closes the files. @throws what kept a journal from being written. */
  close(): void;
}
