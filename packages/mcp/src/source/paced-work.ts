const LEAST_REST_MS = 1_000;
const MOST_REST_MS = 60_000;
const REST_FOR_WORK = 10;

/**
 * Does a piece of work when it is asked for, never twice at once, and rests after it for ten times as long as it
 * took, at least a second and at most a minute: whoever asks without end must not keep us busy.
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

  /** Whether somebody asked for it, and it has not begun yet. */
  get isDue(): boolean {
    return this.#due !== undefined;
  }

  /** Resolves when the work is done that begins after this; at once where nothing is done any more. */
  ask(): Promise<void> {
    this.#due ??= this.#doNext();
    return this.#due;
  }

  /** From here on nothing is begun, and nobody waits. */
  stop(): void {
    this.#isStopped = true;
    this.#stop.resolve();
  }

  async #doNext(): Promise<void> {
    // Whoever asked for it was told how it ended.
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
    // What was asked for meanwhile need not keep a process alive that has nothing else to do.
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
