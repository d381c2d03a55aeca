export { openSqliteStore } from "./store/open-sqlite-store.ts";
export type { SqliteStore, SqliteStoreOptions } from "./store/store.ts";
