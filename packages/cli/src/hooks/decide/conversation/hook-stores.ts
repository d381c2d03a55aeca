import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
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

/** For a call of which nothing is kept. It is decided as any other: the store of its project must open and be writable. */
export function throwAway(stores: HookStores): HookStores {
  return {
    use: (path, use) =>
      stores.use(path, async () => {
        const folder = await mkdtemp(join(path, ".test-call-"));
        try {
          return await ONE_HOOK.use(folder, use);
        } finally {
          await rm(folder, { recursive: true, force: true });
        }
      }),
  };
}

/** A power failure may lose the last decisions, and with them no call that still runs. */
export function openHookStore(path: string): SqliteStore {
  return openSqliteStore({ path, durability: "normal" });
}
