import type { Principal } from "../contract/people/principal.ts";
import type { JournalEvent } from "../contract/store/event.ts";

/** The events that say on whose behalf the calls of a journal were made. */
export const PRINCIPAL_EVENTS = ["session-open", "turn-start"] as const;

/** On whose behalf each turn of a journal ran. Give it the events in order. */
export class RecordedPrincipals {
  #session: Principal | undefined;
  readonly #turns = new Map<string, Principal | undefined>();

  add(event: JournalEvent): void {
    if (event.type === "session-open") this.#session = event.principal;
    // A turn that waits may end after the session was opened for another principal.
    if (event.type === "turn-start") this.#turns.set(event.turn, event.principal ?? this.#session);
  }

  /** A turn without a beginning in the record is that of a call on behalf of the session. */
  of(turn: string): Principal | undefined {
    return this.#turns.has(turn) ? this.#turns.get(turn) : this.#session;
  }
}
