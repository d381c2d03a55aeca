import { resolve } from "node:path";
import { assertKnownKeys } from "@toolkeep/core/internal";
import { unreadableStore } from "./database.ts";
import { BaseSqliteStore } from "./sqlite-store.ts";
import type { SqliteStore, SqliteStoreOptions } from "./store.ts";

const KNOWN = { path: true, durability: true, busyTimeoutMs: true } satisfies Record<
  keyof SqliteStoreOptions,
  true
>;

/**
 * Opens the store in a folder. The folder is created with mode 0700; an existing one must belong to the
 * user and be closed to everyone else.
 *
 * @example
 * await using store = openSqliteStore({ path: ".agent" });
 *
 * @throws ToolkeepError `invalid_option` for an unknown option or a folder that other users can read, `journal_broken` for a database
 * that is damaged, foreign or newer than this version.
 */
export function openSqliteStore(options: SqliteStoreOptions): SqliteStore {
  assertKnownKeys(options, Object.keys(KNOWN), "store option");
  const { path, ...settings } = options;
  const folder = resolve(path);
  try {
    return new BaseSqliteStore(folder, { durability: "full", busyTimeoutMs: 5_000, ...settings });
  } catch (error) {
    throw isDamage(error) ? unreadableStore(folder, error) : error;
  }
}

function isDamage(error: unknown): boolean {
  return (error as { readonly code?: unknown } | undefined)?.code === "ERR_SQLITE_ERROR";
}
