import { openSqliteStore } from "@toolkeep/sqlite";

/* Another process that cancels a run: `cancel-run.ts STORE SESSION RUN`. */
const [path = "", sessionId = "", run = ""] = process.argv.slice(2);
await using store = openSqliteStore({ path });
await store.cancel(sessionId, run);
