/**
 * Port: keeps calls of several sessions apart that need the same for themselves. Locks exclude each other and have
 * names: of a workspace, or of a resource. What a process holds is free when it ends, however that ends.
 */
export interface SharedLocks {
  /**
   * Takes all of the locks. The names are sorted and differ, so that no two callers wait for each other.
   * `undefined`: the signal aborted first, or `wait` is `false` and one of them is taken.
   */
  acquire(names: readonly string[], options: AcquireOptions): Promise<HeldLocks | undefined>;
}

/** Options of `SharedLocks.acquire`. */
export interface AcquireOptions {
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  /** Default: true. */
  readonly wait?: boolean;
}

/** Locks that a call has. */
export interface HeldLocks {
  /** Aborts if they are lost while they are held: the turn of the call is cancelled. Missing if that cannot be. */
  readonly lost?: AbortSignal;
  /** Must be called. Safe to call twice. */
  release(): Promise<void> | void;
}
