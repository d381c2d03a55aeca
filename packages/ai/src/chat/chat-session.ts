import type { Session } from "@toolkeep/core";

export interface ChatSessionParts {
  open(): Promise<Session>;
  /** Fails as `open` does while another process has the chat, and opens nothing. */
  look?(): Promise<void>;
  /** Shared by all that may open the same chat. */
  readonly slot?: ChatSlot | undefined;
  /**
   * How long the session stays open after its last call: other processes cannot use the chat meanwhile. 0: it is free
   * before the call returns. `undefined`: until it is closed.
   */
  readonly idleMs: number | undefined;
}

/**
 * The session of a chat, open while it is used. A server does not learn when a request is over, so an idle session is
 * given free, at once or after a while, and opened again at the next call.
 */
export class ChatSession implements SlotUser {
  readonly #parts: ChatSessionParts;
  readonly #slot: ChatSlot;
  #session: Promise<Session> | undefined;
  #users = 0;
  #waiting: (() => void)[] = [];
  #resting: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: ChatSessionParts) {
    this.#parts = parts;
    this.#slot = parts.slot ?? new ChatSlot();
  }

  /**
   * Runs `work` with the session, which stays open until the work is done. `rest`: how much longer, if that is more than
   * it usually is. Other users in this process need not wait for that.
   */
  async use<T>(work: (session: Session) => Promise<T>, rest?: (result: T) => number | undefined): Promise<T> {
    await this.#slot.take(this);
    let idleMs = this.#parts.idleMs;
    try {
      this.#session ??= this.#parts.open();
      const result = await work(await this.#session.catch((error: unknown) => this.#failed(error)));
      if (idleMs !== undefined) idleMs = Math.max(idleMs, rest?.(result) ?? 0);
      return result;
    } finally {
      await this.#leaveWork(idleMs);
    }
  }

  /** Fails if another process has the chat. */
  async look(): Promise<void> {
    await this.#slot.take(this);
    try {
      if (this.#session === undefined) await this.#parts.look?.();
    } finally {
      await this.#leaveWork(this.#parts.idleMs);
    }
  }

  /** Waits for running calls and closes the session. It can be used again. */
  async close(): Promise<void> {
    await this.idle();
    await this.#slot.give(this);
  }

  get isIdle(): boolean {
    return this.#users === 0;
  }

  enter(): void {
    clearTimeout(this.#resting);
    this.#users += 1;
  }

  idle(): Promise<void> {
    if (this.isIdle) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  async leave(): Promise<void> {
    clearTimeout(this.#resting);
    const session = this.#session;
    this.#session = undefined;
    // A failed opening was already reported to its caller.
    const open = await session?.catch(() => undefined);
    // A chat of a store continues, perhaps in another process; one without ends here.
    await (this.#parts.idleMs === undefined ? open?.close() : open?.leave());
  }

  #failed(error: unknown): never {
    this.#session = undefined;
    throw error;
  }

  async #leaveWork(idleMs: number | undefined): Promise<void> {
    this.#users -= 1;
    if (this.#users > 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
    if (idleMs === undefined) return;
    // What was recorded is flushed: a release that fails has nothing to tell the caller.
    const release = () => this.#slot.give(this).catch(() => {});
    if (idleMs === 0) {
      await release();
      return;
    }
    this.#resting = setTimeout(release, idleMs);
    // The timer must not keep the process alive. Browsers have no `unref`.
    if (typeof this.#resting === "object") this.#resting.unref();
  }
}

/** A user of the session of a chat. */
export interface SlotUser {
  /** Marks the user as working with the session. */
  enter(): void;
  /** Resolves when no work is in progress. */
  idle(): Promise<void>;
  readonly isIdle: boolean;
  /** Closes the session if it is open. */
  leave(): Promise<void>;
}

/** The slot of one chat in this process: one session at a time; later users wait for earlier calls. */
export class ChatSlot {
  #owner: SlotUser | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  /**
   * Resolves when the user may open the session, and has marked the user as working. A user with work in progress
   * continues at once: a tool may need the session it runs in, and waiting users must not block it.
   */
  take(user: SlotUser): Promise<void> {
    if (this.#owner === user && !user.isIdle) {
      user.enter();
      return Promise.resolve();
    }
    return this.#inTurn(async () => {
      if (this.#owner !== user) {
        await this.#owner?.idle();
        await this.#owner?.leave();
        this.#owner = user;
      }
      user.enter();
    });
  }

  /** Closes the user's session unless it has been entered again. */
  give(user: SlotUser): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#owner !== user || !user.isIdle) return;
      this.#owner = undefined;
      await user.leave();
    });
  }

  #inTurn(act: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(act);
    this.#queue = done.catch(() => {});
    return done;
  }
}

const slots = new WeakMap<object, Map<string, WeakRef<ChatSlot>>>();

/** Returns the same slot for the same chat of the same store while it is referenced. */
export function slotOf(store: object, chat: string): ChatSlot {
  const ofStore = slots.get(store) ?? new Map<string, WeakRef<ChatSlot>>();
  slots.set(store, ofStore);
  const known = ofStore.get(chat)?.deref();
  if (known !== undefined) return known;
  const made = new ChatSlot();
  ofStore.set(chat, new WeakRef(made));
  forgotten.register(made, { ofStore, chat });
  return made;
}

const forgotten = new FinalizationRegistry<{ ofStore: Map<string, WeakRef<ChatSlot>>; chat: string }>(
  ({ ofStore, chat }) => {
    if (ofStore.get(chat)?.deref() === undefined) ofStore.delete(chat);
  },
);
