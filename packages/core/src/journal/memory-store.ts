import type {
  GivenAnswer,
  PersonRequest,
  ProjectApprovals,
  RememberedApproval,
} from "../contract/approval.ts";
import { ToolkeepError } from "../contract/error.ts";
import type { JournalEntry, JournalEvent } from "../contract/event.ts";
import type { JournalExtent, JournalQuery, PendingArguments } from "../contract/journal.ts";
import type { Message } from "../contract/steps.ts";
import type {
  AnswerOptions,
  LeftAnswer,
  OpenJournal,
  OpenJournalOptions,
  RequestRef,
  SessionStore,
  StoreNews,
  UnfinishedTurn,
  WaitingQuery,
  WaitingRequest,
} from "../contract/store.ts";
import { extentAfter, NO_EXTENT } from "./matches-query.ts";
import { type MemoryJournal, type MemoryJournalOptions, memoryJournal } from "./memory-journal.ts";
import { memoryPending } from "./memory-pending.ts";
import { StandingEvents } from "./standing-events.ts";

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
  return new MemoryStore(options);
}

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

  projectApprovals(project: string): ProjectApprovals {
    const kept = this.#approvals.get(project) ?? new Map<string, RememberedApproval>();
    this.#approvals.set(project, kept);
    return { has: (entry) => kept.has(entry), add: (entry, about) => void kept.set(entry, about) };
  }

  async waiting({ sessionId, limit }: WaitingQuery = {}): Promise<readonly WaitingRequest[]> {
    const now = Date.now();
    return this.#requests()
      .filter((one) => sessionId === undefined || one.sessionId === sessionId)
      .filter(({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt > now)
      .slice(0, limit);
  }

  async expired(now: number, limit: number): Promise<readonly WaitingRequest[]> {
    return this.#requests()
      .filter(({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt <= now)
      .slice(0, limit);
  }

  async unfinished(limit: number): Promise<readonly UnfinishedTurn[]> {
    const left = [...this.#sessions.values()].filter(({ isOpen }) => !isOpen);
    return left
      .flatMap(({ id, resumable }) => resumable.map((turn) => ({ sessionId: id, turn })))
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

  async takeMessages(sessionId: string): Promise<readonly Message[]> {
    return this.#sessions.get(sessionId)?.takeMessages() ?? [];
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

  #requests(): readonly WaitingRequest[] {
    return [...this.#sessions.values()]
      .flatMap(({ requests }) => requests)
      .toSorted((one, other) => one.askedAt - other.askedAt);
  }
}

/** One session of the store: its journal, the index of it, and what was left for it. */
class StoredSession {
  readonly id: string;
  readonly journal: MemoryJournal;
  readonly #standing = new StandingEvents();
  readonly #requests = new Map<string, WaitingRequest>();
  readonly #cancelled = new Set<string>();
  /** The requests that each parked turn waits for. */
  readonly #parked = new Map<string, readonly string[]>();
  /** Keys of answers that were taken. */
  readonly #takenKeys = new Set<string>();
  #answers: readonly LeftAnswer[] = [];
  #messages: Message[] = [];
  #owner: OwnedJournal | undefined;
  #epoch = 0;
  #turn: string | undefined;
  extent: JournalExtent = NO_EXTENT;

  constructor(id: string, journal: MemoryJournal) {
    this.id = id;
    this.journal = journal;
  }

  get isOpen(): boolean {
    return this.#owner !== undefined;
  }

  get requests(): readonly WaitingRequest[] {
    return [...this.#requests.values()];
  }

  get unfinished(): readonly string[] {
    return this.#standing.all().flatMap(({ type, key }) => (type === "turn-start" ? [key] : []));
  }

  /** Unfinished turns, without those that only wait for answers. */
  get resumable(): readonly string[] {
    if (this.#answers.length + this.#messages.length + this.#cancelled.size > 0) return this.unfinished;
    const isBlocked = (turn: string) =>
      this.#parked.get(turn)?.every((id) => this.#requests.has(`${turn}/${id}`)) === true;
    return this.unfinished.filter((turn) => !isBlocked(turn));
  }

  open({ unfinishedTurn, steal = false }: OpenJournalOptions): OpenJournal {
    if (this.#owner !== undefined && !steal) throw inUse(this.id);
    if (unfinishedTurn !== undefined && !this.unfinished.includes(unfinishedTurn))
      throw new ToolkeepError("turn_unknown", `The turn ${JSON.stringify(unfinishedTurn)} is finished.`);
    this.#owner?.lose();
    this.#epoch += 1;
    this.#owner = new OwnedJournal(this, String(this.#epoch));
    return this.#owner;
  }

  isOwnedBy(journal: OwnedJournal): boolean {
    return this.#owner === journal;
  }

  release(owner: OwnedJournal | undefined = this.#owner): void {
    if (this.#owner === owner) this.#owner = undefined;
  }

  append(seq: number, at: number, turn: string, entry: JournalEntry): void {
    this.journal.append(seq, at, turn, entry);
    this.extent =
      turn === this.#turn
        ? { nextSeq: seq + 1, lastTurn: this.extent.lastTurn }
        : extentAfter(this.extent, { seq, turn });
    this.#turn = turn;
    if (entry.type === "turn-park") this.#parked.set(turn, entry.waiting);
    else if (entry.type === "turn-end") this.#parked.delete(turn);
    if (!this.#standing.concerns(entry.type)) return;
    for (const { kind, standingEvent } of this.#standing.note({ seq, turn, firstSeq: seq, entry })) {
      if (kind === "drop") this.#requests.delete(standingEvent.key);
      else if ("request" in entry) this.#requests.set(standingEvent.key, waitingRequest(this.id, at, entry));
    }
  }

  leave(left: LeftAnswer): void {
    const name = answerName(left);
    if (name !== undefined && this.#takenKeys.has(name)) return;
    if (name !== undefined && this.#answers.some((one) => answerName(one) === name)) return;
    this.#answers = [...this.#answers, left];
    this.#owner?.tell({ type: "answers" });
  }

  async takeAnswers(give: (left: LeftAnswer) => Promise<boolean>): Promise<void> {
    const failed: unknown[] = [];
    for (const left of this.#answers) {
      try {
        if (!(await give(left))) continue;
        this.#answers = this.#answers.filter((one) => one !== left);
        const name = answerName(left);
        if (name !== undefined) this.#takenKeys.add(name);
      } catch (error) {
        failed.push(error);
      }
    }
    if (failed.length > 0) throw failed[0];
  }

  send(message: Message): void {
    this.#messages.push(message);
    this.#owner?.tell({ type: "messages" });
  }

  takeMessages(): readonly Message[] {
    return this.#messages.splice(0);
  }

  cancel(turn: string): void {
    this.#cancelled.add(turn);
    this.#tellCancelled();
  }

  /** Tells a new listener what was left before. */
  tellAll(owner: OwnedJournal): void {
    if (this.#answers.length > 0) owner.tell({ type: "answers" });
    if (this.#messages.length > 0) owner.tell({ type: "messages" });
    this.#tellCancelled();
  }

  #tellCancelled(): void {
    if (this.#owner?.isListening !== true) return;
    for (const turn of this.#cancelled) this.#owner.tell({ type: "cancel", turn });
    this.#cancelled.clear();
  }
}

class OwnedJournal implements OpenJournal {
  readonly fence: string;
  readonly #session: StoredSession;
  readonly #lost = new AbortController();
  #listener: ((news: StoreNews) => void) | undefined;

  constructor(session: StoredSession, fence: string) {
    this.#session = session;
    this.fence = fence;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get isListening(): boolean {
    return this.#listener !== undefined;
  }

  append(seq: number, at: number, turn: string, entry: JournalEntry): void {
    this.#assertOwner();
    this.#session.append(seq, at, turn, entry);
  }

  flush(): Promise<void> | undefined {
    if (!this.#session.isOwnedBy(this)) return Promise.reject(this.#notOwner());
    return this.#session.journal.flush();
  }

  read(query?: JournalQuery): AsyncIterable<JournalEvent> {
    return this.#session.journal.read(query);
  }

  extent(): JournalExtent {
    return this.#session.extent;
  }

  onNews(listener: (news: StoreNews) => void): void {
    this.#listener = listener;
    this.#session.tellAll(this);
  }

  tell(news: StoreNews): void {
    this.#listener?.(news);
  }

  lose(): void {
    this.#lost.abort();
  }

  async release(): Promise<void> {
    this.#listener = undefined;
    this.#session.release(this);
  }

  #assertOwner(): void {
    if (!this.#session.isOwnedBy(this)) throw this.#notOwner();
  }

  #notOwner(): ToolkeepError {
    const id = JSON.stringify(this.#session.id);
    return this.#lost.signal.aborted
      ? new ToolkeepError("session_lost", `The session ${id} was taken over by another owner.`)
      : new ToolkeepError("session_closed", `The session ${id} was released.`);
  }
}

/** Names an answer that has a key. */
function answerName({ requestId, key }: LeftAnswer): string | undefined {
  return key === undefined ? undefined : JSON.stringify([requestId, key]);
}

function waitingRequest(
  sessionId: string,
  askedAt: number,
  { request }: JournalEntry & { readonly request: PersonRequest },
): WaitingRequest {
  const expiresAt = "expiresAt" in request ? request.expiresAt : undefined;
  return { sessionId, askedAt, request, ...(expiresAt === undefined ? {} : { expiresAt }) };
}

function inUse(sessionId: string): ToolkeepError {
  return new ToolkeepError(
    "session_in_use",
    `The session ${JSON.stringify(sessionId)} is open already. Close it, or call its \`leave()\`, first.`,
  );
}
