/** Answers on their way to the turns that wait for them in this process. */
export class Answers {
  readonly #waiting = new Map<string, (answer: unknown) => void>();
  /** Answers that are in the journal, and that the turn which asked has not seen yet. */
  readonly #given = new Map<string, { readonly answer: unknown }>();
  readonly #last = new Map<string, Promise<unknown>>();

  /** The answer that is given through the session. */
  next(id: string): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, resolve);
    const given = this.#given.get(id);
    if (given !== undefined) resolve(given.answer);
    return promise;
  }

  /** One after the other for each request: the second sees what the first one recorded. */
  alone<T>(id: string, take: () => Promise<T>): Promise<T> {
    const before = this.#last.get(id);
    const taking = before === undefined ? take() : before.then(take, take);
    this.#last.set(id, taking);
    const leave = () => {
      if (this.#last.get(id) === taking) this.#last.delete(id);
    };
    taking.then(leave, leave);
    return taking;
  }

  /** It is recorded. Also kept for a turn that was about to wait for it. */
  deliver(id: string, answer: unknown): void {
    this.#given.set(id, { answer });
    this.#waiting.get(id)?.(answer);
  }

  /** What was recorded since the turn was read from the journal. */
  given(id: string): { readonly answer: unknown } | undefined {
    return this.#given.get(id);
  }

  /** It is not waited for any more; whether it was answered is in the journal. */
  forget(id: string): void {
    this.#waiting.delete(id);
    this.#given.delete(id);
  }
}
