import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession, defineTool, effects } from "@toolkeep/core";
import { openStore } from "@toolkeep/sqlite";

const pay = defineTool({
  name: "pay",
  description: "Pays an invoice.",
  inputSchema: { type: "object", properties: { invoice: { type: "string" } }, required: ["invoice"] },
  requires: { capabilities: ["bank.pay"] },
  effects: ({ invoice }) => [effects.of("bank.pay", invoice)],
  execute: ({ invoice }) => `paid ${invoice}`,
});
const policy = ["ask bank.pay *"];
const folder = mkdtempSync(join(tmpdir(), "example-"));

// The first process: the turn waits, and the process may end.
async function ask(): Promise<string> {
  await using store = openStore({ path: folder });
  await using session = await createSession({
    ...{ id: "s1", store, tools: [pay], policy },
    approver: async () => "later",
  });
  const turn = await session.run([{ id: "call_1", name: "pay", arguments: { invoice: "A-17" } }]);
  console.log(turn.status, turn.status === "waiting" ? turn.requests.map(({ id }) => id) : []);
  return turn.id;
}

// Another process, days later: an approver answers, and the turn continues.
async function approve(turnId: string): Promise<void> {
  await using store = openStore({ path: folder });
  for (const { sessionId, request } of await store.waiting())
    await store.answer({ sessionId, id: request.id }, { verdict: "once", by: "ada" });
  await using session = await createSession({ id: "s1", store, tools: [pay], policy });
  const turn = await session.resume(turnId);
  console.log(turn.status, turn.results[0]?.data);
}

await approve(await ask());
rmSync(folder, { recursive: true });
