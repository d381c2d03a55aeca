/** A program that leaves an answer in a store, as `toolkeep approve` does: folder, request id, verdict. */
import { openStore } from "@toolkeep/node";
import { SESSION } from "./kept-gateway.ts";

const [folder = "", requestId = "", verdict = "once"] = process.argv.slice(2);
const store = openStore(folder);
if (!store.waiting().some(({ request }) => request.id === requestId))
  throw new Error(`Nobody asked ${requestId}.`);
store.leaveAnswer({
  sessionId: SESSION,
  requestId,
  answer:
    verdict === "once"
      ? { verdict: "once", by: "another process" }
      : { verdict: "reject", words: "Denied: no." },
});
store.close();
