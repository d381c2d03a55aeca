export { openStore } from "./store/open-store.ts";
export type { SessionEntry, WaitingRequest } from "./store/session-index.ts";
export type { Store, StoreOptions } from "./store/store.ts";
