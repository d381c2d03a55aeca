import type { StoreNews } from "@toolkeep/core/journal";

/** An entry of the inbox, without its content. */
export interface InboxEntry {
  readonly id: string;
  readonly type: "answer" | "message" | "cancel";
  readonly key: string;
}

/** Tells a session what was sent to it, each thing once. */
export class ToldNews {
  readonly #read: () => Promise<readonly InboxEntry[]>;
  #entries: readonly InboxEntry[];
  #told: ReadonlySet<string> = new Set();
  #listener: ((news: StoreNews) => void) | undefined;
  #looking: Promise<void> | undefined;

  /** `entries` were there when the session was opened; `read` gives those that are there now. */
  constructor(entries: readonly InboxEntry[], read: () => Promise<readonly InboxEntry[]>) {
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

  /** Reads the inbox and tells what is new in it. Who asks while it is read waits for another look. */
  look(): Promise<void> {
    const before = this.#looking;
    const looking = before === undefined ? this.#look() : before.then(() => this.#look());
    this.#looking = looking;
    return looking.finally(() => {
      if (this.#looking === looking) this.#looking = undefined;
    });
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

function newsOf(entries: readonly InboxEntry[]): readonly StoreNews[] {
  const has = (wanted: InboxEntry["type"]) => entries.some(({ type }) => type === wanted);
  return [
    ...entries
      .filter(({ type }) => type === "cancel")
      .map(({ key }) => ({ type: "cancel", turn: key }) as const),
    ...(has("answer") ? [{ type: "answers" } as const] : []),
    ...(has("message") ? [{ type: "messages" } as const] : []),
  ];
}
