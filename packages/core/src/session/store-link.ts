import type { GivenAnswer } from "../contract/approval/approval.ts";
import type { JournalEvent } from "../contract/store/event.ts";
import type { Message } from "../contract/store/steps.ts";
import type {
  AnswerOptions,
  JournalQuery,
  LeftAnswer,
  OpenJournal,
  SessionStore,
  StoreNews,
} from "../contract/store/store.ts";
import { ToolkeepError } from "../contract/values/error.ts";

/** What an open session does with what was left for it in the store. */
interface LinkedSession {
  answer(requestId: string, answer: GivenAnswer, options: AnswerOptions): Promise<void>;
  cancel(turn: string): void;
}

/** Brings answers, messages and cancellations from the store into an open session. */
export class StoreLink {
  /** Messages that the user sent in this process. */
  readonly messages: Message[] = [];
  /** Whether a loop around the session records them, after the turn that took them. */
  keepsMessages = false;
  readonly #store: SessionStore | undefined;
  readonly #sessionId: string;
  readonly #journal: OpenJournal;
  readonly #cancelled = new Set<string>();
  /** What the store calls the messages that it gave and keeps until they are recorded. */
  readonly #given = new Set<string>();
  readonly #ids = new WeakMap<Message, string>();
  #session: LinkedSession | undefined;
  #mayHaveMessages: boolean;

  constructor(store: SessionStore | undefined, sessionId: string, journal: OpenJournal) {
    this.#store = store;
    this.#sessionId = sessionId;
    this.#journal = journal;
    // A store that tells nothing has to be asked.
    this.#mayHaveMessages = store !== undefined && journal.onNews === undefined;
  }

  listen(session: LinkedSession): void {
    this.#session = session;
    if (this.#store !== undefined) this.#journal.onNews?.((news) => this.#receive(news));
  }

  /** Gives the session the answers that were left for it. An answer that it refuses is dropped. */
  async takeAnswers(): Promise<void> {
    await this.#store?.takeAnswers(this.#sessionId, (left) => this.#give(left));
  }

  takeMessages(): Promise<readonly Message[]> | readonly Message[] {
    return this.#mayHaveMessages ? this.#takeAllMessages() : this.messages.splice(0);
  }

  /** What the store calls a message that it keeps. */
  idOf(message: Message): string | undefined {
    return this.#ids.get(message);
  }

  /** The store need not keep these messages any longer: what became of them is durable. */
  async removeMessages(ids: Iterable<string>): Promise<void> {
    const recorded = new Set(ids);
    if (recorded.size === 0) return;
    await this.#store?.takeMessages(this.#sessionId, async ({ id }) => recorded.has(id));
    for (const id of recorded) this.#given.delete(id);
  }

  /** A turn is over, or waits: the host application gets these messages with its outcome. */
  async endTurn(messages: readonly Message[], flush: () => Promise<void> | undefined): Promise<void> {
    const ids = messages.flatMap((message) => this.idOf(message) ?? []);
    if (ids.length === 0 || this.keepsMessages) return;
    await flush();
    // The outcome counts: a message that cannot be removed is given to the process that opens the session next.
    await this.removeMessages(ids).catch(() => undefined);
  }

  /** The events of another session; none without a store. */
  async *eventsOf(sessionId: string, query?: JournalQuery): AsyncGenerator<JournalEvent, void, undefined> {
    const journal = await this.#store?.open(sessionId);
    if (journal === undefined) return;
    try {
      yield* journal.read(query);
    } finally {
      await journal.release();
    }
  }

  /** Whether the turn was cancelled before it began or was resumed. */
  takeCancelled(turn: string): boolean {
    return this.#cancelled.delete(turn);
  }

  #receive(news: StoreNews): void {
    if (news.type === "messages") this.#mayHaveMessages = true;
    // An answer that cannot be taken now stays in the store, and `resume` takes it.
    else if (news.type === "answers") this.takeAnswers().catch(() => undefined);
    else {
      this.#cancelled.add(news.turn);
      this.#session?.cancel(news.turn);
    }
  }

  async #takeAllMessages(): Promise<readonly Message[]> {
    this.#mayHaveMessages = this.#journal.onNews === undefined;
    const left = new Map<string, Message>();
    try {
      const removed = await this.#store?.takeMessages(this.#sessionId, async ({ id, message }) => {
        if (!this.#given.has(id)) left.set(id, message);
        this.#given.add(id);
        this.#ids.set(message, id);
        return false;
      });
      // A store may remove what it gives.
      return [...left.values(), ...(removed ?? []), ...this.messages.splice(0)];
    } catch (error) {
      // No turn has them: the next one asks again.
      for (const id of left.keys()) this.#given.delete(id);
      this.#mayHaveMessages = true;
      throw error;
    }
  }

  async #give({ requestId, answer, key }: LeftAnswer): Promise<boolean> {
    try {
      await this.#session?.answer(requestId, answer, key === undefined ? {} : { key });
      return this.#session !== undefined;
    } catch (error) {
      if (!ToolkeepError.isInstance(error)) throw error;
      return error.code === "answer_refused";
    }
  }
}
