import { ToolkeepError } from "@toolkeep/core";
import { createSessionWithPorts as createSession } from "@toolkeep/core/internal";
import { stubTool } from "@toolkeep/core/testing";
import { openSqliteStore } from "../../packages/sqlite/src/store/open-sqlite-store.ts";

/** Runs calls until the disk has no more room, then one more, and says what came of them. */
const { folder, sessionId } = JSON.parse(process.argv[2] ?? "{}") as { folder: string; sessionId: string };
const work = stubTool("work", () => "x".repeat(2_000), { idempotent: false });
const store = openSqliteStore({ path: folder });
const session = await createSession({ id: sessionId, journal: store.journal(sessionId), tools: [work.tool] });

let failure: unknown;
let reported = 0;
while (failure === undefined && reported < 10_000) {
  try {
    await session.call({ id: `c${reported}`, name: "work", arguments: {} });
    console.log(`reported c${reported}`);
    reported += 1;
  } catch (error) {
    failure = error;
  }
}
const ran = work.executed.length;
const after = await session.call({ id: "after", name: "work", arguments: {} }).catch(() => "nothing");
console.log(`ran ${work.executed.length} of ${ran}, then ${typeof after === "string" ? after : "a result"}`);
console.log(
  `failed ${ToolkeepError.isInstance(failure) ? `${failure.code} ${failure.message}` : String(failure)}`,
);
process.exit(0);
