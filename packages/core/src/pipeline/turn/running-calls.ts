import type { RunningCall } from "./running-call.ts";

const TICK_MS = 20;

/** The calls that execute right now. One timer watches their deadlines and whether they were cancelled. */
export class RunningCalls {
  readonly #calls: RunningCall[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;

  add(call: RunningCall): void {
    call.index = this.#calls.length;
    this.#calls.push(call);
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
  }

  /** The last one takes its position: the order means nothing here. */
  delete(call: RunningCall): void {
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
