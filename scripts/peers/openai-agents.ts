import assert from "node:assert/strict";
import { Agent, type Model, type ModelResponse, Runner, tool, Usage } from "@openai/agents";
import { fromOpenAiAgents, sdkApprover, toOpenAiAgents } from "@toolkeep/ai/openai-agents";
import { createSession } from "@toolkeep/core";

/** Tries the adapter of OpenAI Agents: a call that asks interrupts the run, and runs once when approved. */
const paid: string[] = [];
const pay = tool({
  name: "pay",
  description: "Pays an invoice.",
  strict: false,
  parameters: {
    type: "object" as const,
    properties: { invoice: { type: "string" } },
    required: ["invoice"],
    additionalProperties: true as const,
  },
  execute: async (input) => {
    paid.push((input as { invoice: string }).invoice);
    return "paid";
  },
});

const model: Model = {
  async getResponse({ input }) {
    const last = typeof input === "string" ? undefined : input.at(-1);
    const isDone = last?.type === "function_call_result";
    const output = isDone
      ? {
          type: "message",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: JSON.stringify(last.output) }],
        }
      : {
          type: "function_call",
          callId: "call_1",
          name: "pay",
          status: "completed",
          arguments: JSON.stringify({ invoice: "A-7" }),
        };
    return { usage: new Usage(), output: [output] } as ModelResponse;
  },
  getStreamedResponse() {
    throw new Error("This model does not stream.");
  },
};

const { tools, watchdog } = await fromOpenAiAgents([pay]);
await using session = await createSession({
  tools,
  policy: { watchdogs: [watchdog] },
  approver: sdkApprover,
});
const agent = new Agent({ name: "assistant", model, tools: toOpenAiAgents(session) });
const runner = new Runner({ tracingDisabled: true });
const asked = await runner.run(agent, "pay");
const [interruption] = asked.interruptions;
assert.ok(interruption);
assert.deepEqual(paid, []);
asked.state.approve(interruption);
const done = await runner.run(agent, asked.state);
assert.match(String(done.finalOutput), /paid/);
assert.deepEqual(paid, ["A-7"]);
