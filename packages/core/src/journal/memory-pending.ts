import type { PendingArguments } from "../contract/store/store.ts";

/** Pending arguments in memory: a call that waits for approval cannot be resumed by another process. */
export function memoryPending(texts = new Map<string, string>()): PendingArguments {
  return {
    put: (key, argsText) => void texts.set(key, argsText),
    get: (key) => texts.get(key),
    delete: (key) => void texts.delete(key),
  };
}
