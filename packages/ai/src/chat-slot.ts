/** Whoever may have the session of a chat open. */
export interface SlotUser {
  /** Counted from here on as working with it. */
  enter(): void;
  /** Resolves when nobody works with it any more. */
  idle(): Promise<void>;
  readonly isIdle: boolean;
  /** Closes the session, if it is open. */
  leave(): Promise<void>;
}

/** The place of one chat in this process: one session at a time, whoever comes later waits for the calls before. */
export class ChatSlot {
  #owner: SlotUser | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  /**
   * Resolves when the session is the user's to open. The user was entered by then. One that is at work goes on at
   * once: a tool may need the session that it runs in, and whoever waits for its end must not be in its way.
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

/** The same slot for the same chat of the same store, as long as anybody holds it. */
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
