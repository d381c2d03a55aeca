export type { PostgresPool } from "./database/pool.ts";
export type { EraseOptions } from "./store/erase-payloads.ts";
export type { EncryptionKey } from "./store/key-ring.ts";
export { openPostgresStore } from "./store/open-postgres-store.ts";
export type { PostgresStore, PostgresStoreOptions } from "./store/store.ts";
export type { PostgresStatus } from "./store/store-status.ts";
export type { SweepOptions } from "./store/sweep-sessions.ts";
