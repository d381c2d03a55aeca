import { createSessionWithPorts as createSession } from "@toolkeep/core/internal";
import { openSqliteStore } from "../../packages/sqlite/src/store/open-sqlite-store.ts";
import { riskyTool, ASK_FOR_RISKY as rules } from "./risky-tool.ts";

/** Continues a session that an earlier process left, and prints how long each part took. */
const { folder, sessionId } = JSON.parse(process.argv[2] ?? "{}") as { folder: string; sessionId: string };
const begun = performance.now();
const store = openSqliteStore({ path: folder });
const journal = store.journal(sessionId);
const session = await createSession({
  id: sessionId,
  journal,
  pending: store.pending,
  tools: [riskyTool],
  policy: rules,
});
const reopened = performance.now();
const [request] = await session.waiting();
await session.answer(request?.id ?? "none", { verdict: "once" });
const outcome = await session.resume(request?.id.split("/")[0] ?? "none");
const resumed = performance.now();
const verdict = await journal.checked;
const checked = performance.now();
console.log(
  JSON.stringify({
    reopenMs: reopened - begun,
    resumeMs: resumed - begun,
    checkMs: checked - begun,
    isIntact: verdict?.intact,
    result: outcome.results[0]?.data,
    nextTurn: journal.extent().lastTurn + 1,
  }),
);
await session.close();
await store.close();
process.exit(0);
