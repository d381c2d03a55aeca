import { createSession } from "@toolkeep/core";
import { scriptedApprover } from "@toolkeep/core/testing";
import { openSqliteStore } from "@toolkeep/sqlite";
import { questionTool } from "../../packages/tools/src/session/question-tool.ts";

/** Asks a question that has no answer yet, reports that, and waits to be killed. */
const { folder, sessionId, calls } = JSON.parse(process.argv[2] ?? "{}");
const store = openSqliteStore({ path: folder });
const session = await createSession({
  ...{ id: sessionId, journal: store.journal(sessionId), pending: store.pending },
  tools: [questionTool()],
  approver: scriptedApprover("once", () => "later"),
});
const outcome = await session.run(calls, { id: "asking" });
console.log(outcome.status);
setInterval(() => {}, 1_000);
