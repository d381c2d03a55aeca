import assert from "node:assert/strict";
import { tool } from "@langchain/core/tools";
import { fromLangChain, toLangChain } from "@toolkeep/ai/langchain";
import { createSession } from "@toolkeep/core";

/** Tries the adapter of LangChain: an approved call runs, and a rejected one returns a message. */
const paid: string[] = [];
const pay = tool(
  async (input: unknown) => {
    paid.push((input as { invoice: string }).invoice);
    return "paid";
  },
  {
    name: "pay",
    description: "Pays an invoice.",
    schema: { type: "object", properties: { invoice: { type: "string" } }, required: ["invoice"] },
  },
);

await using session = await createSession({
  tools: await fromLangChain([pay as never]),
  approver: async (request) => ({
    verdict: JSON.stringify(request.arguments).includes("X-1") ? "reject" : "once",
  }),
});
const [governed] = toLangChain(session);
assert.ok(governed);
const call = (id: string, invoice: string) =>
  governed.invoke({ type: "tool_call", id, name: "pay", args: { invoice } } as never) as Promise<{
    readonly content: unknown;
  }>;
assert.match(String((await call("call_1", "A-7")).content), /paid/);
assert.match(String((await call("call_2", "X-1")).content), /Denied/);
assert.deepEqual(paid, ["A-7"]);
