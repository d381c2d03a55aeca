import { createSessionWithPorts as createSession } from "@toolkeep/core/internal";
import type { Journal } from "@toolkeep/core/journal";
import { stubTool } from "@toolkeep/core/testing";
import { openSqliteStore } from "../../../packages/sqlite/src/store/open-sqlite-store.ts";

/** Runs one batch, and is killed at a moment of its journal: an append, or one of the ends of a flush. */
const { folder, moment } = JSON.parse(process.argv[2] ?? "{}") as {
  readonly folder: string;
  readonly moment: number;
};
let moments = 0;
const pass = () => {
  moments += 1;
  if (moments === moment) process.kill(process.pid, "SIGKILL");
};
const store = openSqliteStore({ path: folder });
const inner = store.journal("s");
const journal: Journal = {
  append(...event) {
    inner.append(...event);
    pass();
  },
  flush() {
    pass();
    return inner.flush()?.then(pass);
  },
  read: (query) => inner.read(query),
  extent: () => inner.extent(),
};
const { tool } = stubTool(
  "pay",
  () => {
    console.log("paid");
    return "PAID";
  },
  { idempotent: false },
);
const session = await createSession({ id: "s", tools: [tool], journal, pending: store.pending });
// Unflushed events are written after a while; the first event is there before anything is killed.
await inner.flush();
moments = 0;
await session.run([{ id: "c", name: "pay", arguments: {} }], { id: "turn" });
await session.close();
await store.close();
