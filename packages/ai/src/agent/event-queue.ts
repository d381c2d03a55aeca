/** What a reader brings about. */
interface Reading {
  /** Called when the first value is asked for. */
  begin(): void;
  /** Called when the reader stops before the end. */
  leave(): void;
  /** Called last. */
  over(): Promise<void>;
}

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

  /** One generator for all of it: each that passes values on costs as much again. */
  async *read({ begin, leave, over }: Reading): AsyncGenerator<Value, void, undefined> {
    begin();
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
      if (!isOver) leave();
      await over();
    }
  }
}
