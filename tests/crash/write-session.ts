import { createSessionWithPorts as createSession } from "@toolkeep/core/internal";
import { stubTool } from "@toolkeep/core/testing";
import { openSqliteStore } from "../../packages/sqlite/src/store/open-sqlite-store.ts";

/** Writes a session, says `open`, and stays until it is told to go if it is to hold on to it. */
const { folder, sessionId, calls, hold } = JSON.parse(process.argv[2] ?? "{}") as {
  readonly folder: string;
  readonly sessionId: string;
  readonly calls: number;
  readonly hold?: boolean;
};

const store = openSqliteStore({ path: folder });
const journal = store.journal(sessionId);
const session = await createSession({
  id: sessionId,
  journal,
  pending: store.pending,
  tools: [stubTool("work").tool],
});
for (let n = 0; n < calls; n += 1) await session.call({ id: `c${n}`, name: "work", arguments: { n } });
console.log("open");
if (hold) await new Promise((resolve) => process.stdin.once("data", resolve));
await session.close();
await store.close();
process.exit(0);
