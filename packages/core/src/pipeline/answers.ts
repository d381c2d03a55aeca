/** Answers on their way to those who wait for them in this process. */
export class Answers {
  readonly #waiting = new Map<string, (answer: unknown) => void>();

  next(id: string): Promise<unknown> {
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
    });
  }

  /** Nobody waits for it any more. */
  forget(id: string): void {
    this.#waiting.delete(id);
  }

  /** `false` when nobody here waits for it. */
  deliver(id: string, answer: unknown): boolean {
    const resolve = this.#waiting.get(id);
    if (resolve === undefined) return false;
    this.#waiting.delete(id);
    resolve(answer);
    return true;
  }
}
