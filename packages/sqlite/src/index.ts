export { openStore } from "./store/open-store.ts";
export type { SessionEntry, SessionsQuery } from "./store/sessions.ts";
export type { Store, StoreOptions } from "./store/store.ts";
