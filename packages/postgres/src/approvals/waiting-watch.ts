import type { SessionStore, WaitingRequest } from "@toolkeep/core";

/** Told what begins to wait and what no longer does. */
export interface WaitingListener {
  began(waiting: WaitingRequest): void;
  ended(waiting: WaitingRequest): void;
}

/** Looks for waiting requests as long as there are listeners: once for all of them. */
export class WaitingWatch {
  readonly #store: Pick<SessionStore, "waiting">;
  readonly #pollMs: number;
  readonly #listeners = new Set<WaitingListener>();
  #known = new Map<string, WaitingRequest>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isClosed = false;

  constructor(store: Pick<SessionStore, "waiting">, pollMs: number) {
    this.#store = store;
    this.#pollMs = pollMs;
  }

  /** Tells a new listener of everything that waits. Returns what ends it. */
  async listen(listener: WaitingListener): Promise<() => void> {
    // Before it is added: what this look finds is told below.
    await this.look();
    if (this.#isClosed) return () => undefined;
    for (const waiting of this.#known.values()) tell(() => listener.began(waiting));
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => {
      // The next look tells what was missed.
      this.look().catch(() => undefined);
    }, this.#pollMs);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#rest();
    };
  }

  /** Looks now. Rejects if the store does not answer; the next look tells what was missed. */
  look(): Promise<void> {
    this.#looking ??= this.#compare().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  close(): void {
    this.#isClosed = true;
    this.#listeners.clear();
    this.#rest();
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #compare(): Promise<void> {
    const found = new Map((await this.#store.waiting()).map((waiting) => [keyOf(waiting), waiting]));
    const before = this.#known;
    this.#known = found;
    for (const [key, waiting] of before)
      if (!found.has(key)) for (const listener of this.#listeners) tell(() => listener.ended(waiting));
    for (const [key, waiting] of found)
      if (!before.has(key)) for (const listener of this.#listeners) tell(() => listener.began(waiting));
  }
}

/** What one listener throws keeps nothing from the others, nor from itself later on. */
function tell(listener: () => void): void {
  try {
    listener();
  } catch {
    // It has missed this one.
  }
}

/** A request that was asked anew under the same id is another one. */
function keyOf({ sessionId, askedAt, request }: WaitingRequest): string {
  return JSON.stringify([sessionId, request.id, askedAt]);
}
