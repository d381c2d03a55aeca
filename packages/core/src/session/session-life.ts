import { ToolkeepError } from "../contract/values/error.ts";
import { Cancellation } from "../pipeline/turn/cancellation.ts";
import type { OpenTurns } from "../pipeline/turn/open-turns.ts";

interface SessionLifeParts {
  readonly sessionId: string;
  readonly open: OpenTurns;
  /** Whether the turn was cancelled before it began. */
  takeCancelled(turn: string): boolean;
}

/** Whether a session is open, what runs in it, and what cancels that. */
export class SessionLife {
  readonly #parts: SessionLifeParts;
  /** The turns that run right now. */
  readonly #running = new Map<string, Cancellation>();
  #cancellation = new Cancellation();
  #ending: Promise<void> | undefined;
  #isLost = false;

  constructor(parts: SessionLifeParts) {
    this.#parts = parts;
  }

  /** @throws ToolkeepError `session_lost`, `session_closed`. */
  assertOpen(): void {
    const { sessionId } = this.#parts;
    if (this.#isLost)
      throw new ToolkeepError(
        "session_lost",
        `The session ${sessionId} was taken over by another process, or its journal failed.`,
      );
    if (this.#ending !== undefined)
      throw new ToolkeepError("session_closed", `The session ${sessionId} is closed.`);
  }

  /** The end waits from here on, and a cancellation of everything includes what begins. */
  begin(): Cancellation {
    this.assertOpen();
    this.#parts.open.begin();
    return this.#cancellation;
  }

  async counted<Result>(run: (within: Cancellation) => Promise<Result>): Promise<Result> {
    const within = this.begin();
    try {
      return await run(within);
    } finally {
      this.#parts.open.end();
    }
  }

  /** A turn runs once at a time: what it does next depends on what it has done. */
  async alone<Outcome>(turn: string, run: (within: Cancellation) => Promise<Outcome>): Promise<Outcome> {
    if (this.#running.has(turn)) throw new ToolkeepError("turn_running", `The turn ${turn} runs already.`);
    return this.counted(async (within) => {
      const cancellation = within.child();
      this.#running.set(turn, cancellation);
      if (this.#parts.takeCancelled(turn)) cancellation.cancel();
      try {
        return await run(cancellation);
      } finally {
        this.#running.delete(turn);
        cancellation.release();
      }
    });
  }

  cancelTurn(turn: string): void {
    this.#running.get(turn)?.cancel();
  }

  cancelAll(): void {
    const current = this.#cancellation;
    this.#cancellation = new Cancellation();
    current.cancel();
  }

  /** Another process took the session over, or its journal failed: nothing runs unrecorded. */
  lose(): void {
    this.#isLost = true;
    this.cancelAll();
  }

  /** Ends the session once. From here on nothing begins. */
  end(end: () => Promise<void>): Promise<void> {
    if (this.#ending === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#ending = promise;
      resolve(end());
    }
    return this.#ending;
  }
}
