import type { JournalEntry, JournalEvent } from "./event.ts";

/** Port: the append-only record of a session. Audit, replay, resume and the inspector all read it. */
export interface Journal {
  /** The stamp arrives separately, so that nothing is copied on the way. Must keep the order. */
  append(seq: number, at: number, turn: string, entry: JournalEntry): void;
  /** Durable from here on: everything appended so far. Nothing to wait for: `undefined`. */
  flush(): Promise<void> | undefined;
  /** All events in order, or those of one turn. */
  read(turn?: string): AsyncIterable<JournalEvent>;
}

/**
 * Port: raw arguments of calls that are not settled yet, sealed against other readers. What the
 * journal keeps is redacted; a parked call must resume with what was approved.
 */
export interface PendingArguments {
  put(key: string, argsText: string): Promise<void> | void;
  get(key: string): Promise<string | undefined> | string | undefined;
  delete(key: string): Promise<void> | void;
}
