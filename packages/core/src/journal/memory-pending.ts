import type { PendingArguments } from "../contract/journal.ts";

/** Pending arguments in memory: they are gone when the process is, and parked calls with them. */
export function memoryPending(): PendingArguments {
  const texts = new Map<string, string>();
  return {
    put: (key, argsText) => void texts.set(key, argsText),
    get: (key) => texts.get(key),
    delete: (key) => void texts.delete(key),
  };
}
