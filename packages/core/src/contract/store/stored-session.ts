/** A session in a store. Times are milliseconds since the epoch. */
export interface StoredSession {
  readonly sessionId: string;
  readonly openedAt: number;
  readonly activeAt: number;
  /** How many calls are settled. */
  readonly calls: number;
  /** `parked`: a turn waits for a person. `open`: the session was not closed, though its process may have ended. */
  readonly state: "open" | "parked" | "closed";
  /** Whether a running process has it open. */
  readonly isInUse: boolean;
  /** Turns that began and are not finished. They can be resumed unless the session is in use. */
  readonly unfinishedTurns: readonly string[];
  /** The ids of the requests that wait for an answer. */
  readonly waiting: readonly string[];
}

/** Which sessions `store.sessions` lists. */
export interface SessionsQuery {
  readonly state?: StoredSession["state"];
  /** Default: all. */
  readonly limit?: number;
}
