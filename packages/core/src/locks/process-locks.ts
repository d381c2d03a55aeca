import type { AcquireOptions, HeldLocks, SharedLocks } from "../contract/store/store.ts";
import { createEffectLocks, type EffectLocks, type LockKey } from "./effect-locks.ts";

/** Locks that the sessions of one process share. First come, first served. */
export class ProcessLocks implements SharedLocks {
  readonly #locks: EffectLocks = createEffectLocks();

  async acquire(
    names: readonly string[],
    { signal, wait = true }: AcquireOptions,
  ): Promise<HeldLocks | undefined> {
    if (signal.aborted) return undefined;
    const ticket = this.#locks.request(names.map(exclusive));
    const granted = ticket.granted;
    const isGranted = granted === undefined || (wait && (await unlessAborted(granted, signal)));
    if (!isGranted) ticket.release();
    return isGranted ? { release: () => ticket.release() } : undefined;
  }
}

/** Where no store has locks: the sessions of this process share these. */
export const PROCESS_LOCKS: SharedLocks = new ProcessLocks();

function exclusive(resource: string): LockKey {
  return { access: "exclude", resource, subtree: false };
}

function unlessAborted(granted: Promise<unknown>, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const stop = () => resolve(false);
    signal.addEventListener("abort", stop, { once: true });
    const go = () => {
      signal.removeEventListener("abort", stop);
      resolve(true);
    };
    granted.then(go, stop);
  });
}
