import type { PersonRequest } from "../contract/approval/approval.ts";
import { assertAnswer, expiryOf } from "../contract/approval/given-answer.ts";
import type { JournalEntry, JournalEvent } from "../contract/store/event.ts";
import type { Message } from "../contract/store/steps.ts";
import type {
  JournalExtent,
  JournalQuery,
  LeftAnswer,
  LeftMessage,
  OpenJournal,
  OpenJournalOptions,
  RequestRef,
  WaitingRequest,
} from "../contract/store/store.ts";
import { ToolkeepError } from "../contract/values/error.ts";
import { decodeEvent, eventLine } from "./encode-event.ts";
import { answerKey, giveEach } from "./inbox-entries.ts";
import { extentAfter, matchesQuery, NO_EXTENT } from "./matches-query.ts";
import type { MemoryJournal } from "./memory-journal.ts";
import { OwnedJournal } from "./owned-journal.ts";
import { isAnsweredByIndex, StandingEvents } from "./standing-events.ts";

/** A standing event as it was written. */
interface StandingLine extends Pick<JournalEvent, "type" | "turn" | "seq"> {
  readonly line: string;
}

/** One session of the store: its journal, the index of it, and what was left for it. */
export class StoredSession {
  readonly id: string;
  readonly journal: MemoryJournal;
  readonly #standing = new StandingEvents();
  readonly #standingLines = new Map<string, StandingLine>();
  readonly #requests = new Map<string, WaitingRequest>();
  readonly #cancelled = new Set<string>();
  /** What each parked turn waits for. */
  readonly #parked = new Map<string, JournalEntry & { readonly type: "turn-park" }>();
  /** Keys of answers that were taken. */
  readonly #takenKeys = new Set<string>();
  readonly #answers = new Map<string, LeftAnswer>();
  readonly #messages = new Map<string, Message>();
  #owner: OwnedJournal | undefined;
  #epoch = 0;
  #turn: string | undefined;
  #isSubagent = false;
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

  /** The requests for which no answer was left. One that the session refuses makes its request wait again. */
  get waiting(): readonly WaitingRequest[] {
    const answered = new Set([...this.#answers.values()].map(({ requestId }) => requestId));
    // One of several signatures does not answer a request.
    return this.requests.filter(
      ({ request }) => !answered.has(request.id) || ("needs" in request && request.needs !== undefined),
    );
  }

  get unfinished(): readonly string[] {
    return this.#standing.all().flatMap(({ type, key }) => (type === "turn-start" ? [key] : []));
  }

  /**
   * Unfinished turns, without those that only wait for answers. Only its parent can resume a subagent. `isOpen`: whether
   * a request of another session is.
   */
  resumable(isOpen: (request: RequestRef) => boolean): readonly string[] {
    if (this.#isSubagent) return [];
    if (this.#hasNews) return this.unfinished;
    const isBlocked = (turn: string) => {
      const park = this.#parked.get(turn);
      if (park === undefined) return false;
      const { waiting, of = turn, elsewhere = [] } = park;
      return waiting.every((id) => this.#requests.has(`${of}/${id}`)) && elsewhere.every(isOpen);
    };
    return this.unfinished.filter((turn) => !isBlocked(turn));
  }

  /** Whether a request waits, and nothing was sent that may change that. */
  isWaitingFor(requestId: string): boolean {
    return !this.#hasNews && this.#requests.has(requestId);
  }

  get #hasNews(): boolean {
    return this.#answers.size + this.#messages.size + this.#cancelled.size > 0;
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
    if (entry.type === "session-open") this.#isSubagent = (entry.agents ?? []).length > 0;
    else if (entry.type === "turn-park") this.#parked.set(turn, entry);
    else if (entry.type === "turn-end") this.#parked.delete(turn);
    if (!this.#standing.concerns(entry.type)) return;
    for (const { kind, standingEvent } of this.#standing.note({ seq, turn, firstSeq: seq, entry })) {
      const { type, key } = standingEvent;
      if (kind === "drop") {
        this.#requests.delete(key);
        this.#standingLines.delete(`${type} ${key}`);
        continue;
      }
      this.#standingLines.set(`${type} ${key}`, {
        type: entry.type,
        seq,
        turn,
        line: eventLine(seq, at, turn, entry),
      });
      if ("request" in entry) this.#requests.set(key, waitingRequest(this.id, at, entry.request));
    }
  }

  /** The events that a query asks for. A session that is opened for each request reads only what still applies. */
  read(query: JournalQuery = {}): AsyncIterable<JournalEvent> {
    return isAnsweredByIndex(query) ? this.#readStanding(query) : this.journal.read(query);
  }

  async *#readStanding(query: JournalQuery): AsyncGenerator<JournalEvent> {
    const found = [...this.#standingLines.values()].filter((event) => matchesQuery(event, query));
    for (const { line } of found.toSorted((one, other) => one.seq - other.seq)) yield decodeEvent(line);
  }

  /** @throws ToolkeepError `answer_refused`. */
  leave(left: LeftAnswer): void {
    assertAnswer(left.requestId, left.answer, this.#requests.get(left.requestId));
    const name = answerKey(left);
    if (this.#takenKeys.has(name) || this.#answers.has(name)) return;
    this.#answers.set(name, left);
    this.#owner?.tell({ type: "answers" });
  }

  takeAnswers(give: (left: LeftAnswer) => Promise<boolean>): Promise<void> {
    return giveEach([...this.#answers], async ([name, left]) => {
      if (!(await give(left))) return;
      this.#answers.delete(name);
      if (left.key !== undefined) this.#takenKeys.add(name);
    });
  }

  send(message: Message): void {
    this.#messages.set(crypto.randomUUID(), message);
    this.#owner?.tell({ type: "messages" });
  }

  async takeMessages(give?: (left: LeftMessage) => Promise<boolean>): Promise<readonly Message[]> {
    const taken: Message[] = [];
    await giveEach([...this.#messages], async ([id, message]) => {
      if ((await give?.({ id, message })) === false || !this.#messages.delete(id)) return;
      taken.push(message);
    });
    return taken;
  }

  cancel(turn: string): void {
    this.#cancelled.add(turn);
    this.#tellCancelled();
  }

  /** Tells a new listener what was left before. */
  tellAll(owner: OwnedJournal): void {
    if (this.#answers.size > 0) owner.tell({ type: "answers" });
    if (this.#messages.size > 0) owner.tell({ type: "messages" });
    this.#tellCancelled();
  }

  #tellCancelled(): void {
    if (this.#owner?.isListening !== true) return;
    for (const turn of this.#cancelled) this.#owner.tell({ type: "cancel", turn });
    this.#cancelled.clear();
  }
}

/** A request as lists show it. One that does not say until when it waits has the usual time. */
export function waitingRequest(sessionId: string, askedAt: number, request: PersonRequest): WaitingRequest {
  return { sessionId, askedAt, request, expiresAt: expiryOf(request, askedAt) };
}

/** The error for a session that another owner has open. */
export function inUse(sessionId: string): ToolkeepError {
  return new ToolkeepError(
    "session_in_use",
    `The session ${JSON.stringify(sessionId)} is open already. Close it, or call its \`leave()\`, first.`,
  );
}
