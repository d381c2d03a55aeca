import type { Session, SessionEvent } from "@toolkeep/core";

/** Follows a session's events while somebody needs them. Events that nobody follows are not made, and cost nothing. */
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

  /** Follows from here on, until the returned function is called. */
  hold(): () => void {
    this.#holders += 1;
    if (this.#events === undefined) {
      this.#events = this.#session.events();
      this.#follow(this.#events).catch(() =>
        this.#onNote("The events of the session are not followed any more."),
      );
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
