/** Values on their way to one reader. It never loses one, and never waits for the reader. */
export class EventQueue<Value> {
  readonly #values: Value[] = [];
  #wake: (() => void) | undefined;
  #hasEnded = false;
  #error: { readonly thrown: unknown } | undefined;

  push(value: Value): void {
    this.#values.push(value);
    this.#wake?.();
  }

  /** Ends the reading after what was pushed, with an error if one is given. */
  end(error?: { readonly thrown: unknown }): void {
    this.#hasEnded = true;
    this.#error = error;
    this.#wake?.();
  }

  /** `onLeave` is called when the reader stops before the end. */
  async *read(onLeave: () => Promise<void> | void): AsyncGenerator<Value, void, undefined> {
    let isOver = false;
    try {
      for (;;) {
        while (this.#values.length > 0) {
          const value = this.#values.shift() as Value;
          // Who stops at the last value has read to the end.
          isOver = this.#hasEnded && this.#values.length === 0;
          yield value;
        }
        if (this.#hasEnded) {
          isOver = true;
          if (this.#error !== undefined) throw this.#error.thrown;
          return;
        }
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
      }
    } finally {
      if (!isOver) await onLeave();
    }
  }
}
