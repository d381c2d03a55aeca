import type { JournalEntry, JournalEvent } from "../contract/store/event.ts";
import type { JournalExtent, JournalQuery, OpenJournal, StoreNews } from "../contract/store/store.ts";
import { ToolkeepError } from "../contract/values/error.ts";

/** The session whose journal has owners, one at a time. */
interface OwnedSession {
  readonly id: string;
  readonly extent: JournalExtent;
  readonly journal: { flush(): Promise<void> | undefined };
  append(seq: number, at: number, turn: string, entry: JournalEntry): void;
  read(query?: JournalQuery): AsyncIterable<JournalEvent>;
  isOwnedBy(journal: OwnedJournal): boolean;
  tellAll(journal: OwnedJournal): void;
  release(journal: OwnedJournal): void;
}

/** The journal of a session in memory, for the owner that has it open. */
export class OwnedJournal implements OpenJournal {
  readonly fence: string;
  readonly #session: OwnedSession;
  readonly #lost = new AbortController();
  #listener: ((news: StoreNews) => void) | undefined;

  constructor(session: OwnedSession, fence: string) {
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
    return this.#session.read(query);
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
