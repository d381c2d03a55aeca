import { setImmediate } from "node:timers/promises";

/** Lets others have the process now and then, while something goes on that does not wait. */
export interface Breaths {
  /** Waits a moment if it is time. @throws what the signal was aborted with. */
  taken(): Promise<void> | undefined;
}

const LONGEST_BREATH_MS = 8;

export function breaths(abortSignal: AbortSignal): Breaths {
  let due = performance.now() + LONGEST_BREATH_MS;
  async function wait(): Promise<void> {
    await setImmediate();
    abortSignal.throwIfAborted();
    due = performance.now() + LONGEST_BREATH_MS;
  }
  return { taken: () => (performance.now() < due ? undefined : wait()) };
}
