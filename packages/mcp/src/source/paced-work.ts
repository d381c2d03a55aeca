const LEAST_REST_MS = 1_000;
const MOST_REST_MS = 60_000;
const REST_FOR_WORK = 10;

/**
 * Runs a piece of work on request, never twice at once, and pauses afterwards for ten times as long as it took, at
 * least a second and at most a minute: a caller that never stops requesting must not keep the process busy.
 */
export class PacedWork {
  readonly #work: () => Promise<void>;
  readonly #stop = Promise.withResolvers<void>();
  #due: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();
  #restUntil = 0;
  #isStopped = false;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Whether a request is waiting. */
  get isDue(): boolean {
    return this.#due !== undefined;
  }

  /** Resolves when the work that begins after this call is done; immediately if the work has been stopped. */
  ask(): Promise<void> {
    this.#due ??= this.#doNext();
    return this.#due;
  }

  /** Starts nothing from now on, and releases all waiters. */
  stop(): void {
    this.#isStopped = true;
    this.#stop.resolve();
  }

  async #doNext(): Promise<void> {
    // The callers were notified of the outcome.
    await this.#last.catch(() => {});
    await this.#rest();
    this.#due = undefined;
    if (this.#isStopped) return;
    this.#last = this.#doOnce();
    await this.#last;
  }

  async #rest(): Promise<void> {
    const ms = this.#restUntil - performance.now();
    if (ms <= 0) return;
    const { promise: over, resolve } = Promise.withResolvers<void>();
    // A pending request must not keep an otherwise idle process alive.
    const timer = setTimeout(resolve, ms).unref();
    await Promise.race([over, this.#stop.promise]);
    clearTimeout(timer);
  }

  async #doOnce(): Promise<void> {
    const begun = performance.now();
    try {
      await this.#work();
    } finally {
      const ended = performance.now();
      const rest = REST_FOR_WORK * (ended - begun);
      this.#restUntil = ended + Math.min(MOST_REST_MS, Math.max(LEAST_REST_MS, rest));
    }
  }
}
