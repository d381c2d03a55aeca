import type { GivenAnswer, PersonRequest, ProjectApprovals } from "../approval/approval.ts";
import type { Truncation } from "../call/result.ts";
import type { ByteRange } from "../io/io.ts";
import type { JournalEntry, JournalEvent } from "./event.ts";
import type { Message } from "./steps.ts";

/** Port: the append-only record of a session, its audit log. Replay and resume read it too. */
export interface Journal {
  /** The stamp arrives separately, so that nothing is copied on the way. Must keep the order. */
  append(seq: number, at: number, turn: string, entry: JournalEntry): void;
  /** Durable from here on: everything appended so far. Nothing to wait for: `undefined`. */
  flush(): Promise<void> | undefined;
  /** All events in order, flushed or not; or those that a query asks for. */
  read(query?: JournalQuery): AsyncIterable<JournalEvent>;
  /** How far it goes, with what is not flushed yet. */
  extent(): JournalExtent | Promise<JournalExtent>;
}

/** Which events are wanted. All that is given must hold. */
export interface JournalQuery {
  readonly turn?: string;
  readonly types?: readonly JournalEntry["type"][];
  /** No event before this one. */
  readonly fromSeq?: number;
  /**
   * Only what still counts is needed: the last `state-write` of each tool, the last `session-open`, the
   * last `run-end` with a `checkpoint`, no `always` and no rule that was forgotten, no request that was answered or whose call is settled, no
   * turn that is over, and no call that ended. A journal with an index saves itself the rest; one without may give it.
   */
  readonly standing?: true;
}

/** Where a journal continues. */
export interface JournalExtent {
  /** The number of the next event; 0 for a journal that is empty. */
  readonly nextSeq: number;
  /** The highest `n` among the turns that are called `t<n>`; 0 if there is none. */
  readonly lastTurn: number;
}

/** Port: raw arguments of unsettled calls. The journal is redacted; a parked call must resume with what was approved. */
export interface PendingArguments {
  put(key: string, argsText: string): Promise<void> | void;
  get(key: string): Promise<string | undefined> | string | undefined;
  delete(key: string): Promise<void> | void;
}

/**
 * Port: keeps sessions, so that a later `createSession` with the same `id` continues them. One store serves many
 * sessions, and several processes may have the same store open.
 *
 * `memoryStore()` keeps them as long as the process lives; `openSqliteStore()` of `@toolkeep/sqlite` keeps them on disk.
 */
export interface SessionStore extends AsyncDisposable {
  /** Where the store is kept, for messages to the developer: `toolkeep log --store PATH`. */
  readonly path?: string;
  /**
   * Opens the journal of a session for writing, and creates it if it does not exist. One process at a time can have
   * it open, until it calls `release` or ends.
   * @throws ToolkeepError `session_in_use` while another owner has it, `journal_broken` when the journal was changed,
   * `turn_unknown` when `unfinishedTurn` is given and that turn is finished.
   */
  open(sessionId: string, options?: OpenJournalOptions): Promise<OpenJournal>;
  /** Whether `open` would fail because an owner has the session open. Left out: it is opened to find out. */
  isInUse?(sessionId: string): Promise<boolean>;
  /** Raw arguments of calls that are not settled. Keys begin with the session id and a `/`. */
  readonly pending: PendingArguments;
  /** Locks among the sessions of every process that has this store open. Left out: among those of one process. */
  readonly locks?: SharedLocks;
  /** Where a session keeps output that is too large for a result. Left out: in memory. */
  outputs?(sessionId: string, options: OutputOptions): Sidecar;
  /** Approvals that outlive sessions. A project is named by the real path of its directory. */
  projectApprovals(project: string): ProjectApprovals;
  /** Requests of any session that wait for an answer, oldest first, without those that are expired or answered. */
  waiting(query?: WaitingQuery): Promise<readonly WaitingRequest[]>;
  /** Requests whose time was over at `now` (milliseconds since the epoch) and whose turn still waits. */
  expired(now: number, limit: number): Promise<readonly WaitingRequest[]>;
  /**
   * Turns that began, are not finished, and whose session no living process has open. They can be resumed. A turn that
   * only waits for answers is left out until something was sent to its session. Turns of subagents are left out: the
   * turn of the agent that started them is listed, and continues them.
   */
  unfinished(limit: number): Promise<readonly UnfinishedTurn[]>;
  /**
   * Leaves an answer for a session, from any process. The session takes it when it is open, or when it is opened
   * next, and decides whether it applies: the first valid answer does. An answer that is left again with the same
   * `key` counts once.
   * @throws ToolkeepError `answer_refused` for what is no answer, or none to this request.
   */
  answer(request: RequestRef, answer: GivenAnswer, options?: AnswerOptions): Promise<void>;
  /**
   * Gives the answers that were left for a session, in the order they came. An answer is removed once `give` resolves
   * with `true`; otherwise, and when `give` rejects, it stays and is given again.
   * @throws what `give` rejected with, after the other answers were given.
   */
  takeAnswers(sessionId: string, give: (left: LeftAnswer) => Promise<boolean>): Promise<void>;
  /** Leaves a message for a session, from any process; the same as `session.steer` in the process that has it open. */
  sendMessage(sessionId: string, message: Message): Promise<void>;
  /**
   * Gives the messages that were left for a session, in the order they came, and returns those that it removed. A
   * message is removed once `give` resolves with `true`; otherwise it stays and is given again. Without `give` all are
   * removed. One that cannot be given rejects, after the others were given.
   */
  takeMessages(
    sessionId: string,
    give?: (left: LeftMessage) => Promise<boolean>,
  ): Promise<readonly Message[]>;
  /** Cancels a turn, from any process: with the next flush of an open session, otherwise when it is resumed. */
  cancel(sessionId: string, turn: string): Promise<void>;
  /** Removes a session and all that is kept of it for good. @throws ToolkeepError `session_in_use`. */
  forget(sessionId: string): Promise<void>;
  /** Writes what is buffered, releases every session and closes files and connections. */
  close(): Promise<void>;
}

/** The journal of a session that this process has open. */
export interface OpenJournal extends Journal {
  /** Changes whenever another owner opens the session. A writer with an older fence cannot write. */
  readonly fence: string;
  /** Aborts when the session was taken over, or the journal can no longer be written. Everything that runs is cancelled. */
  readonly lost: AbortSignal;
  /**
   * Tells the session what others left for it: at once where the store can, with the next flush at the latest. What was
   * left before the session was opened is told when the listener is set.
   */
  onNews?(listener: (news: StoreNews) => void): void;
  /** Writes what is buffered and gives the session free. Safe to call twice. Nothing can be appended afterwards. */
  release(): Promise<void>;
}

/** What another process left for an open session. */
export type StoreNews =
  | { readonly type: "answers" }
  | { readonly type: "messages" }
  | { readonly type: "cancel"; readonly turn: string };

/** Options of `store.open`. */
export interface OpenJournalOptions {
  /** Opens the session only if this turn is not finished: for a sweeper whose list may be out of date. */
  readonly unfinishedTurn?: string;
  /** Takes the session from an owner that does not react. Its `lost` signal aborts, and it can write nothing more. */
  readonly steal?: boolean;
}

/** Options of `store.outputs`. */
export interface OutputOptions {
  /** Replaces the session's secrets in output that a command wrote by itself. */
  readonly redactor: Redactor;
}

/** Which requests `store.waiting` lists. */
export interface WaitingQuery {
  readonly sessionId?: string;
  /** At most so many; all where it is left out. */
  readonly limit?: number;
  /** Told of each request that is left out because it is not as its session recorded it: it cannot be answered. */
  readonly onChanged?: (changed: ChangedRequest) => void;
}

/** A request that the store has otherwise than it was recorded. */
export interface ChangedRequest extends RequestRef {
  readonly reason: string;
  /** As it was recorded, if that can be read. */
  readonly recorded?: PersonRequest;
}

/** A request that waits for an answer, and the session it belongs to. Times are milliseconds since the epoch. */
export interface WaitingRequest {
  readonly sessionId: string;
  readonly askedAt: number;
  /** Where the request says nothing else: 30 days after it was asked. */
  readonly expiresAt?: number;
  readonly request: PersonRequest;
}

/** A turn that a process began and did not finish. */
export interface UnfinishedTurn {
  readonly sessionId: string;
  readonly turn: string;
}

/** Names a request. The request itself will do. */
export interface RequestRef {
  readonly sessionId: string;
  readonly id: string;
}

/** Options of `store.answer`. */
export interface AnswerOptions {
  /** Names this answer: sending it again with the same key is no error and changes nothing. */
  readonly key?: string;
}

/** An answer on its way from one process to another. */
export interface LeftAnswer {
  readonly sessionId: string;
  readonly requestId: string;
  readonly answer: GivenAnswer;
  readonly key?: string;
}

/** A message on its way from one process to another. */
export interface LeftMessage {
  /** Another one for each message that is sent. */
  readonly id: string;
  readonly message: Message;
}

/** Port: keeps output that is too large for a result, until the session closes. */
export interface Sidecar {
  /** Opens a file of its own for one output. Without a media type, it is plain text. */
  open(callId: string, options?: { readonly mediaType?: string }): Promise<SidecarFile>;
  /** Reads back what an earlier call of this session left; `undefined` for a path that is not one of ours. */
  read(path: string, range?: ByteRange): Promise<Uint8Array | undefined>;
  /** Removes everything. */
  clear(): Promise<void>;
}

/** A stored output. */
export interface SidecarFile {
  /** What `Sidecar.read` takes. Where an output is found by its content, it is known once the file is closed. */
  readonly path: string;
  /** The content of a file that is closed, where outputs are found by it. */
  readonly whole?: Truncation["whole"];
  write(bytes: Uint8Array): Promise<void> | void;
  close(): Promise<void> | void;
}

/**
 * Port: keeps calls of several sessions apart that need the same for themselves. Locks exclude each other and have
 * names: of a workspace, or of a resource. What a process holds is free when it ends, however that ends.
 */
export interface SharedLocks {
  /**
   * Takes all of the locks. The names are sorted and differ, so that no two callers wait for each other.
   * `undefined`: the signal aborted first, or `wait` is `false` and one of them is taken.
   */
  acquire(names: readonly string[], options: AcquireOptions): Promise<HeldLocks | undefined>;
}

/** Options of `SharedLocks.acquire`. */
export interface AcquireOptions {
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  /** Default: true. */
  readonly wait?: boolean;
}

/** Locks that a call has. */
export interface HeldLocks {
  /** Aborts if they are lost while they are held: the turn of the call is cancelled. Missing if that cannot be. */
  readonly lost?: AbortSignal;
  /** Must be called. Safe to call twice. */
  release(): Promise<void> | void;
}

/** Replaces secrets in everything that is recorded, shown or sent to a model. `createRedactor` makes one. */
export interface Redactor {
  /** From now on, this value is a secret wherever it appears. Short values are ignored: they would match everywhere. */
  add(name: string, value: string): void;
  /** For plain text. */
  redact(text: string): string;
  /** For JSON text: the strings in it are redacted one by one, so that it stays JSON. */
  redactJson(text: string): string;
  /** Where the secrets are, in order, not overlapping. */
  find(text: string): readonly SecretSpan[];
}

export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  readonly mark: string;
}
