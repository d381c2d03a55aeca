import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession, defineTool, effects } from "@toolkeep/core";
import { openSqliteStore } from "@toolkeep/sqlite";

const pay = defineTool({
  name: "pay",
  description: "Pays an invoice.",
  inputSchema: { type: "object", properties: { invoice: { type: "string" } }, required: ["invoice"] },
  requires: { capabilities: ["bank.pay"] },
  effects: ({ invoice }) => [effects.of("bank.pay", invoice)],
  execute: ({ invoice }) => `paid ${invoice}`,
});

using folder = mkdtempDisposableSync(join(tmpdir(), "agent-"));
const options = { id: "s1", tools: [pay], policy: ["ask bank.pay"], approver: async () => "later" as const };

/** The process of the agent: the turn ends while the request waits. */
async function agent(): Promise<string> {
  await using store = openSqliteStore({ path: folder.path });
  await using session = await createSession({ ...options, store });
  const turn = await session.run([{ id: "call_1", name: "pay", arguments: { invoice: "A-17" } }]);
  console.log(
    turn.status,
    turn.requests.map(({ id }) => id),
  );
  return turn.id;
}

/** Another process, days later: a user answers. */
async function answer(): Promise<void> {
  await using store = openSqliteStore({ path: folder.path });
  for (const { request } of await store.waiting())
    await store.answer(request, { verdict: "once", by: "ada" });
}

/** The agent again: the session continues where it was. */
async function again(turnId: string): Promise<void> {
  await using store = openSqliteStore({ path: folder.path });
  await using session = await createSession({ ...options, store });
  const turn = await session.resume(turnId);
  console.log(turn.status, turn.results[0]?.data);
}

const turnId = await agent();
await answer();
await again(turnId);
