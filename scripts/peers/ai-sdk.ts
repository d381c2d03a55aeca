import assert from "node:assert/strict";
import { fromAiSdk, govern, sdkApprover, toAiSdk } from "@toolkeep/ai";
import { createSession } from "@toolkeep/core";
import { generateText, jsonSchema, type ModelMessage, type ToolSet, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";

/** Tries the adapter of the AI SDK: a call that asks, its approval, and the same approval again. */
const paid: string[] = [];
const pay = tool({
  description: "Pays an invoice.",
  inputSchema: jsonSchema<{ invoice: string }>({
    type: "object",
    properties: { invoice: { type: "string" } },
    required: ["invoice"],
  }),
  execute: ({ invoice }) => {
    paid.push(invoice);
    return `paid ${invoice}`;
  },
});

await using session = await createSession({ tools: (await fromAiSdk({ pay })).tools, approver: sdkApprover });
for (const governed of [await govern({ pay }), toAiSdk(session)]) {
  paid.length = 0;
  await tryApproval(governed as Given);
  assert.deepEqual(paid, ["A-7"]);
}

interface Given {
  readonly tools: ToolSet;
  readonly toolApproval: never;
}

async function tryApproval(given: Given): Promise<void> {
  const chat: ModelMessage[] = [{ role: "user", content: "Pay A-7." }];
  const first = await generateText({ ...given, model: modelOf(), messages: chat });
  assert.deepEqual(paid, []);
  const request = first.content.find((part) => part.type === "tool-approval-request");
  assert.ok(request);
  const { approvalId } = request;
  const response = { type: "tool-approval-response", approvalId, approved: true } as const;
  const messages: ModelMessage[] = [
    ...chat,
    ...first.responseMessages,
    { role: "tool", content: [response] },
  ];
  for (const _ of ["approved", "repeated"]) await generateText({ ...given, model: modelOf(false), messages });
}

/** A model that makes one call, or only answers. */
function modelOf(isCalling = true) {
  const call = { type: "tool-call", toolCallId: "call_1", toolName: "pay", input: '{"invoice":"A-7"}' };
  const reply = {
    content: isCalling ? [call] : [],
    finishReason: {},
    usage: { inputTokens: {}, outputTokens: {} },
    warnings: [],
  };
  return new MockLanguageModelV4({ doGenerate: reply as never });
}
