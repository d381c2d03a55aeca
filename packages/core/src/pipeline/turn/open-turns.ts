/** Counts what a session has begun and not finished: turns, calls inside calls, and answers on their way into the journal. */
export class OpenTurns {
  #count = 0;
  #over: PromiseWithResolvers<void> | undefined;

  begin(): void {
    this.#count += 1;
  }

  /** Must be called when everything is recorded that will be. */
  end(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#over?.resolve();
  }

  /** Resolves when none is open any more. No other turn may begin after it was called. */
  over(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    this.#over ??= Promise.withResolvers();
    return this.#over.promise;
  }
}
