import { resolve } from "node:path";
import { SqliteStore } from "./sqlite-store.ts";
import type { Store, StoreOptions } from "./store.ts";
import { unreadable } from "./unreadable.ts";

/**
 * Opens the store in a folder, which is made if it is not there. The folder must be ours alone (mode 0700).
 * @throws ToolkeepError `invalid_option` for a folder that others may look into, `journal_broken` for a database
 * that is damaged, foreign or newer than this program.
 */
export function openStore(folder: string, options: StoreOptions = {}): Store {
  const path = resolve(folder);
  try {
    return new SqliteStore(path, { durability: "full", busyTimeoutMs: 5_000, ...options });
  } catch (error) {
    throw isDamage(error) ? unreadable(path, error) : error;
  }
}

function isDamage(error: unknown): boolean {
  return (error as { readonly code?: unknown } | undefined)?.code === "ERR_SQLITE_ERROR";
}
