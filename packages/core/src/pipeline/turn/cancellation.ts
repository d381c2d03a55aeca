/** Tells calls to stop. The signal is made when it is first used: most calls never use it. */
export class Cancellation {
  #isCancelled = false;
  #controller: AbortController | undefined;
  readonly #listeners = new Set<() => void>();
  #release: (() => void) | undefined;

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#isCancelled) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    this.#controller?.abort();
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  /** Cancelled with this one, or by the signal. Must be released when it is not needed any more. */
  child(signal?: AbortSignal): Cancellation {
    const child = new Cancellation();
    const stop = () => child.cancel();
    if (this.#isCancelled || signal?.aborted === true) stop();
    this.#listeners.add(stop);
    signal?.addEventListener("abort", stop, { once: true });
    child.#release = () => {
      this.#listeners.delete(stop);
      signal?.removeEventListener("abort", stop);
    };
    return child;
  }

  release(): void {
    this.#release?.();
  }

  /** Settles with the promise, or with `cancelled` as soon as it is. */
  race<T>(promise: Promise<T>): Promise<T | "cancelled"> {
    if (this.#isCancelled) {
      // It is not waited for any more, and its failure must not be unhandled.
      promise.catch(() => undefined);
      return Promise.resolve("cancelled");
    }
    return new Promise((resolve, reject) => {
      const stop = () => resolve("cancelled");
      this.#listeners.add(stop);
      promise.then(resolve, reject).finally(() => this.#listeners.delete(stop));
    });
  }
}
