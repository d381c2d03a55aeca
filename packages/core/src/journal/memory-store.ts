import type { GivenAnswer, ProjectApprovals, RememberedApproval } from "../contract/approval/approval.ts";
import type { Message } from "../contract/store/steps.ts";
import type {
  AnswerOptions,
  LeftAnswer,
  LeftMessage,
  OpenJournal,
  OpenJournalOptions,
  PendingArguments,
  RequestRef,
  SessionStore,
  UnfinishedTurn,
  WaitingQuery,
  WaitingRequest,
} from "../contract/store/store.ts";
import { assertKnownKeys } from "../contract/values/error.ts";
import { type MemoryJournalOptions, memoryJournal } from "./memory-journal.ts";
import { memoryPending } from "./memory-pending.ts";
import { inUse, StoredSession } from "./stored-session.ts";

/**
 * Keeps sessions in memory, as long as the process lives: for tests, and for applications whose sessions need not
 * survive a restart. Of each session the newest events are kept, up to `keepBytes`.
 *
 * @example
 * const store = memoryStore();
 * const session = await createSession({ id: "s1", store, tools });
 * await session.close();
 * const later = await createSession({ id: "s1", store, tools }); // continues where it was
 */
export function memoryStore(options: MemoryJournalOptions = {}): SessionStore {
  assertKnownKeys(options, OPTIONS, "store option");
  return new MemoryStore(options);
}

const OPTIONS = ["digest", "keepBytes", "batchEvents"] as const satisfies (keyof MemoryJournalOptions)[];

class MemoryStore implements SessionStore {
  readonly pending: PendingArguments;
  readonly #arguments = new Map<string, string>();
  readonly #options: MemoryJournalOptions;
  readonly #sessions = new Map<string, StoredSession>();
  readonly #approvals = new Map<string, Map<string, RememberedApproval>>();

  constructor(options: MemoryJournalOptions) {
    this.#options = options;
    this.pending = memoryPending(this.#arguments);
  }

  async open(sessionId: string, options: OpenJournalOptions = {}): Promise<OpenJournal> {
    return this.#of(sessionId).open(options);
  }

  async isInUse(sessionId: string): Promise<boolean> {
    return this.#sessions.get(sessionId)?.isOpen === true;
  }

  projectApprovals(project: string): ProjectApprovals {
    const kept = this.#approvals.get(project) ?? new Map<string, RememberedApproval>();
    this.#approvals.set(project, kept);
    return { has: (entry) => kept.has(entry), add: (entry, about) => void kept.set(entry, about) };
  }

  async waiting({ sessionId, limit }: WaitingQuery = {}): Promise<readonly WaitingRequest[]> {
    const now = Date.now();
    const ofOne = sessionId === undefined ? undefined : (this.#sessions.get(sessionId)?.waiting ?? []);
    return (ofOne ?? this.#requests(({ waiting }) => waiting))
      .filter(({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt > now)
      .slice(0, limit);
  }

  async expired(now: number, limit: number): Promise<readonly WaitingRequest[]> {
    return this.#requests(({ requests }) => requests)
      .filter(({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt <= now)
      .slice(0, limit);
  }

  async unfinished(limit: number): Promise<readonly UnfinishedTurn[]> {
    const left = [...this.#sessions.values()].filter(({ isOpen }) => !isOpen);
    const isOpen = ({ sessionId, id }: RequestRef) =>
      this.#sessions.get(sessionId)?.isWaitingFor(id) === true;
    return left
      .flatMap((session) => session.resumable(isOpen).map((turn) => ({ sessionId: session.id, turn })))
      .slice(0, limit);
  }

  async answer(request: RequestRef, answer: GivenAnswer, { key }: AnswerOptions = {}): Promise<void> {
    const { sessionId, id: requestId } = request;
    this.#of(sessionId).leave({ sessionId, requestId, answer, ...(key === undefined ? {} : { key }) });
  }

  async takeAnswers(sessionId: string, give: (left: LeftAnswer) => Promise<boolean>): Promise<void> {
    await this.#sessions.get(sessionId)?.takeAnswers(give);
  }

  async sendMessage(sessionId: string, message: Message): Promise<void> {
    this.#of(sessionId).send(message);
  }

  async takeMessages(
    sessionId: string,
    give?: (left: LeftMessage) => Promise<boolean>,
  ): Promise<readonly Message[]> {
    return (await this.#sessions.get(sessionId)?.takeMessages(give)) ?? [];
  }

  async cancel(sessionId: string, turn: string): Promise<void> {
    this.#of(sessionId).cancel(turn);
  }

  async forget(sessionId: string): Promise<void> {
    const session = this.#sessions.get(sessionId);
    if (session?.isOpen === true) throw inUse(sessionId);
    this.#sessions.delete(sessionId);
    for (const key of this.#arguments.keys())
      if (key.startsWith(`${sessionId}/`)) this.#arguments.delete(key);
  }

  async close(): Promise<void> {
    for (const session of this.#sessions.values()) session.release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #of(sessionId: string): StoredSession {
    const known = this.#sessions.get(sessionId);
    if (known !== undefined) return known;
    const made = new StoredSession(sessionId, memoryJournal(this.#options));
    this.#sessions.set(sessionId, made);
    return made;
  }

  #requests(of: (session: StoredSession) => readonly WaitingRequest[]): readonly WaitingRequest[] {
    return [...this.#sessions.values()].flatMap(of).toSorted((one, other) => one.askedAt - other.askedAt);
  }
}
