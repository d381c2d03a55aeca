import { openSqliteStore, type SqliteStore } from "@toolkeep/sqlite";

/** Where hooks get the store of their sessions from. */
export interface HookStores {
  /** Opens the store in a directory, calls `use`, and gives the store back. Everything opened in it must be closed then. */
  use<Result>(path: string, use: (store: SqliteStore) => Promise<Result>): Promise<Result>;
}

/** For a process that decides once. */
export const ONE_HOOK: HookStores = {
  async use(path, use) {
    const store = openHookStore(path);
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  },
};

/** A power failure may lose the last decisions, and with them no call that still runs. */
export function openHookStore(path: string): SqliteStore {
  return openSqliteStore({ path, durability: "normal" });
}
