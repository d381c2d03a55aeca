import { createSessionWithPorts as createSession } from "@toolkeep/core/internal";
import { JsonText } from "@toolkeep/core/journal";
import { scriptedApprover } from "@toolkeep/core/testing";
import { openSqliteStore } from "../../packages/sqlite/src/store/open-sqlite-store.ts";
import { ASK_FOR_RISKY, riskyTool } from "./risky-tool.ts";

/** Writes a turn that is parked, and then as many calls as there are to be, each flushed as a session would. */
const { folder, sessionId, calls } = JSON.parse(process.argv[2] ?? "{}") as {
  readonly folder: string;
  readonly sessionId: string;
  readonly calls: number;
};

// How it got there does not matter: only reading is measured.
const store = openSqliteStore({ path: folder, durability: "normal" });
const journal = store.journal(sessionId);
const session = await createSession({
  id: sessionId,
  journal,
  pending: store.pending,
  tools: [riskyTool],
  policy: ASK_FOR_RISKY,
  approver: scriptedApprover("later"),
});
await session.run([{ id: "1", name: "risky", arguments: { path: "first" } }]);
for (let n = 0; n < calls; n += 1) {
  const turn = `t${n + 2}`;
  const { nextSeq } = journal.extent();
  journal.append(nextSeq, n, turn, startOf(n));
  journal.append(nextSeq + 1, n, turn, endOf(n));
  journal.append(nextSeq + 2, n, turn, {
    type: "state-write",
    tool: "todo",
    version: 1,
    value: JsonText.of({ n }),
  });
  await journal.flush();
}
await store.close();
process.exit(0);

function startOf(n: number) {
  return {
    type: "call-start",
    callId: `call_${n}`,
    tool: "read",
    origin: "code/code",
    arguments: JsonText.of({ path: `/project/src/file-${n}.ts`, limit: 200 }),
    effects: [{ capability: "fs.read", target: `/project/src/file-${n}.ts`, known: "enforced" }],
    allowedBy: "rules: fs.read **",
  } as const;
}

function endOf(n: number) {
  const callId = `call_${n}`;
  const data = { text: "a line of text\n".repeat(10) };
  const result = JsonText.of({ callId, toolName: "read", ok: true, data, durationMs: 1 });
  return { type: "call-end", callId, tool: "read", origin: "code/code", ok: true, result } as const;
}
