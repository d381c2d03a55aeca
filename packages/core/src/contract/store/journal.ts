import type { JournalEntry, JournalEvent } from "./event.ts";

/** Port: the append-only record of a session, its audit log. Replay and resume read it too. */
export interface Journal {
  /** The stamp arrives separately, so that nothing is copied on the way. Must keep the order. */
  append(seq: number, at: number, turn: string, entry: JournalEntry): void;
  /** Durable from here on: everything appended so far. Nothing to wait for: `undefined`. */
  flush(): Promise<void> | undefined;
  /** All events in order, flushed or not; or those that a query asks for. */
  read(query?: JournalQuery): AsyncIterable<JournalEvent>;
  /** How far it goes, with what is not flushed yet. */
  extent(): JournalExtent | Promise<JournalExtent>;
}

/** Which events are wanted. All that is given must hold. */
export interface JournalQuery {
  readonly turn?: string;
  readonly types?: readonly JournalEntry["type"][];
  /** No event before this one. */
  readonly fromSeq?: number;
  /**
   * Only what still counts is needed: the last `state-write` of each tool, the last `session-open`, the
   * last `run-end` with a `checkpoint`, no `always` and no rule that was forgotten, no request that was answered or whose call is settled, no
   * turn that is over, and no call that ended. A journal with an index saves itself the rest; one without may give it.
   */
  readonly standing?: true;
}

/** Where a journal continues. */
export interface JournalExtent {
  /** The number of the next event; 0 for a journal that is empty. */
  readonly nextSeq: number;
  /** The highest `n` among the turns that are called `t<n>`; 0 if there is none. */
  readonly lastTurn: number;
}

/**
 * Port: raw arguments of calls that are not settled yet, protected from other readers. What the
 * journal keeps is redacted; a parked call must resume with what was approved.
 */
export interface PendingArguments {
  put(key: string, argsText: string): Promise<void> | void;
  get(key: string): Promise<string | undefined> | string | undefined;
  delete(key: string): Promise<void> | void;
}
