import type { Session, SessionEvent } from "@toolkeep/core";

/** Follows a session's events while a listener needs them. Without listeners events are not created, and cost nothing. */
export class SessionWatch {
  readonly #session: Session;
  readonly #tell: (event: SessionEvent) => void;
  #events: AsyncIterableIterator<SessionEvent> | undefined;
  #holders = 0;

  readonly #onNote: (note: string) => void;

  constructor(session: Session, tell: (event: SessionEvent) => void, onNote: (note: string) => void) {
    this.#session = session;
    this.#tell = tell;
    this.#onNote = onNote;
  }

  /** Listens from now on, until the returned function is called. */
  hold(): () => void {
    this.#holders += 1;
    if (this.#events === undefined) {
      this.#events = this.#session.events();
      this.#follow(this.#events).catch(() => this.#onNote("The session's events are no longer received."));
    }
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holders -= 1;
      if (this.#holders === 0) this.#stop();
    };
  }

  #stop(): void {
    const events = this.#events;
    this.#events = undefined;
    events?.return?.().catch(() => {});
  }

  async #follow(events: AsyncIterableIterator<SessionEvent>): Promise<void> {
    for await (const event of events) this.#tell(event);
  }
}
