import { govern } from "@toolkeep/ai";
import { generateText, type ModelMessage, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { z } from "zod";

const pay = tool({
  description: "Pays an invoice.",
  inputSchema: z.object({ invoice: z.string() }),
  execute: ({ invoice }) => `paid ${invoice}`,
});

// The tools of any AI SDK application.
const { tools, toolApproval } = await govern(
  { pay },
  { policy: ['ask pay because "Money leaves the account."'] },
);

// A model that makes one call and then has nothing to say.
const call = { type: "tool-call", toolCallId: "call_1", toolName: "pay", input: '{"invoice":"A-7"}' };
const replies = [[call], [], []].map((content) => ({
  content,
  finishReason: {},
  usage: { inputTokens: {}, outputTokens: {} },
  warnings: [],
}));
const model = new MockLanguageModelV4({ doGenerate: replies as never });
const ask = (messages: ModelMessage[]) => generateText({ model, tools, toolApproval, messages });

const chat: ModelMessage[] = [{ role: "user", content: "Pay A-7." }];
const first = await ask(chat);
const request = first.content.find((part) => part.type === "tool-approval-request");
console.log("asks:", request?.reason);

// What a browser sends when the user approves; then the same once more.
const response = {
  type: "tool-approval-response",
  approvalId: request?.approvalId ?? "",
  approved: true,
} as const;
const yes: ModelMessage[] = [...chat, ...first.responseMessages, { role: "tool", content: [response] }];
for (const time of ["first", "second"])
  console.log(`${time} yes:`, JSON.stringify((await ask(yes)).responseMessages[0]?.content));
