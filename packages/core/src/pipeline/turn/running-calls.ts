const TICK_MS = 20;

/** What has a deadline and can be cancelled. */
export interface Watched {
  /** Its position among those that are watched. */
  index: number;
  tick(now: number): void;
}

/** The calls that execute right now. One timer watches their deadlines and whether they were cancelled. */
export class RunningCalls {
  readonly #calls: Watched[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;

  add(call: Watched): void {
    call.index = this.#calls.length;
    this.#calls.push(call);
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
  }

  /** The last one takes its position: the order means nothing here. */
  delete(call: Watched): void {
    const last = this.#calls.pop();
    if (last === undefined || last === call) return;
    this.#calls[call.index] = last;
    last.index = call.index;
  }

  #tick(): void {
    const now = performance.now();
    for (const call of [...this.#calls]) call.tick(now);
    if (this.#calls.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
