import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent } from "@toolkeep/ai";
import { defineTool, effects } from "@toolkeep/core";
import { openSqliteStore } from "@toolkeep/sqlite";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";

const pay = defineTool({
  name: "pay",
  description: "Pays an invoice.",
  inputSchema: { type: "object", properties: { invoice: { type: "string" } }, required: ["invoice"] },
  requires: { capabilities: ["bank.pay"] },
  effects: ({ invoice }) => [effects.of("bank.pay", invoice)],
  execute: ({ invoice }) => `paid ${invoice}`,
});

using folder = mkdtempDisposableSync(join(tmpdir(), "agent-"));
const options = { id: "a1", tools: [pay], policy: ["ask bank.pay"], approver: async () => "later" as const };

/** The first process: the agent waits for an approval, and leaves. */
async function first(): Promise<void> {
  await using store = openSqliteStore({ path: folder.path });
  const call = { type: "tool-call", toolCallId: "call-1", toolName: "pay", input: '{"invoice":"A-17"}' };
  const agent = await createAgent({ ...options, store, model: modelThat(call) });
  for await (const event of agent.run("Pay A-17."))
    if (event.type === "end") console.log(event.reason, event.requests[0]?.toolName);
  await agent.leave();
}

/** Another process, days later: a user answers. */
async function answer(): Promise<void> {
  await using store = openSqliteStore({ path: folder.path });
  for (const { request } of await store.waiting())
    await store.answer(request, { verdict: "once", by: "ada" });
}

/** A third one: the agent continues from the store. The reply that asked for the call is not paid for again. */
async function again(): Promise<void> {
  await using store = openSqliteStore({ path: folder.path });
  const text = { type: "text-delta", id: "1", delta: "A-17 is paid." };
  await using agent = await createAgent({ ...options, store, model: modelThat(text) });
  for await (const event of agent.resume()) {
    if (event.type === "result") console.log(event.result.data);
    if (event.type === "end") console.log(event.reason, `after ${event.steps} steps:`, event.text);
  }
}

await first();
await answer();
await again();

/** A model with one reply. */
function modelThat(part: object) {
  const text =
    "delta" in part ? [{ type: "text-start", id: "1" }, part, { type: "text-end", id: "1" }] : [part];
  const end = { type: "finish", finishReason: {}, usage: { inputTokens: {}, outputTokens: {} } };
  const stream = convertArrayToReadableStream([{ type: "stream-start", warnings: [] }, ...text, end]);
  return new MockLanguageModelV4({ doStream: { stream } as never });
}
