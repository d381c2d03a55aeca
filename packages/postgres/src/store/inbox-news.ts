import { type InboxEntry, newsOf } from "@toolkeep/core/internal";
import type { StoreNews } from "@toolkeep/core/journal";

/** An entry of the inbox as it is stored. */
export interface StoredEntry extends InboxEntry {
  readonly id: string;
}

/** Tells a session what was sent to it, each thing once. */
export class InboxNews {
  readonly #read: () => Promise<readonly StoredEntry[]>;
  #entries: readonly StoredEntry[];
  #told: ReadonlySet<string> = new Set();
  #listener: ((news: StoreNews) => void) | undefined;
  #looking: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  /** `entries` were there when the session was opened; `read` gives those that are there now. */
  constructor(entries: readonly StoredEntry[], read: () => Promise<readonly StoredEntry[]>) {
    this.#entries = entries;
    this.#read = read;
  }

  listen(listener: (news: StoreNews) => void): void {
    this.#listener = listener;
    this.#tell();
  }

  stop(): void {
    this.#listener = undefined;
  }

  /** Reads the inbox and tells what is new in it. All that ask while it is read share the look after that. */
  look(): Promise<void> {
    if (this.#looking === undefined) {
      this.#looking = this.#look().finally(() => {
        this.#looking = undefined;
      });
      return this.#looking;
    }
    const again = () => {
      this.#next = undefined;
      return this.look();
    };
    this.#next ??= this.#looking.then(again, again);
    return this.#next;
  }

  async #look(): Promise<void> {
    if (this.#listener === undefined) return;
    this.#entries = await this.#read();
    this.#tell();
  }

  #tell(): void {
    const fresh = this.#entries.filter(({ id }) => !this.#told.has(id));
    this.#told = new Set(this.#entries.map(({ id }) => id));
    for (const news of newsOf(fresh)) this.#listener?.(news);
  }
}
