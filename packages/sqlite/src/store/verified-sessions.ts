import { Reached } from "./check-session.ts";
import type { SessionRow } from "./session-rows.ts";

const MOST_SESSIONS = 64;

/**
 * How far sessions were verified since a store was opened. A session that is opened again and again is verified as one
 * that stays open is: once, and then what was added, by any process.
 */
export class VerifiedSessions {
  readonly #reached = new Map<SessionRow["id"], Reached>();

  /** Where the verification of a session continues. It moves this on. */
  reachedIn({ id }: Pick<SessionRow, "id">): Reached {
    const reached = this.#reached.get(id) ?? new Reached();
    // The one that was not opened for the longest time is the first one.
    this.#reached.delete(id);
    this.#reached.set(id, reached);
    for (const first of this.#reached.keys())
      if (this.#reached.size > MOST_SESSIONS) this.#reached.delete(first);
    return reached;
  }

  /** It is verified from its beginning the next time. */
  forget({ id }: Pick<SessionRow, "id">): void {
    this.#reached.delete(id);
  }
}
