import { resolve } from "node:path";
import { SqliteStore } from "./sqlite-store.ts";
import type { Store, StoreOptions } from "./store.ts";

/**
 * Opens the store in a folder, which is made if it is not there. The folder must be ours alone (mode 0700).
 * @throws ToolkeepError `invalid_option` for a folder that others may look into, `journal_broken` for a database
 * that is damaged, foreign or newer than this program.
 */
export function openStore(folder: string, options: StoreOptions = {}): Store {
  return new SqliteStore(resolve(folder), { durability: "full", busyTimeoutMs: 5_000, ...options });
}
