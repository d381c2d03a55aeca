/** Answers on their way to those who wait for them in this process. Of several to one request, the first counts. */
export class Answers {
  readonly #waiting = new Map<string, (answer: unknown) => void>();
  readonly #claimed = new Set<string>();

  next(id: string): Promise<unknown> {
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
    });
  }

  /** `false` when somebody else has answered it. Whoever claims it must record it. */
  claim(id: string): boolean {
    if (this.#claimed.has(id)) return false;
    this.#claimed.add(id);
    return true;
  }

  /** Nobody waits for it any more; whether it was answered is in the journal. */
  forget(id: string): void {
    this.#waiting.delete(id);
    this.#claimed.delete(id);
  }

  deliver(id: string, answer: unknown): void {
    this.#waiting.get(id)?.(answer);
  }
}
