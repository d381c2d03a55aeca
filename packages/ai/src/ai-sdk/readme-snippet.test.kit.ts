import { memoryStore } from "@toolkeep/core";
import {
  convertToModelMessages,
  createUIMessageStreamResponse,
  jsonSchema,
  streamText,
  tool,
  toUIMessageStream,
  type UIMessage,
} from "ai";
import { type GovernOptions, govern } from "../index.ts";

const myTools = {
  pay: tool({
    description: "Pays an invoice.",
    inputSchema: jsonSchema<{ invoice: string }>({
      type: "object",
      properties: { invoice: { type: "string" } },
      required: ["invoice"],
    }),
    execute: ({ invoice }) => `paid ${invoice}`,
  }),
};

const options = {
  policy: { rules: [{ permission: "bank.pay", action: "ask", because: "Money leaves the account." }] },
  tools: {
    pay: {
      requires: { capabilities: ["bank.pay"] },
      effects: ({ invoice }) => [{ capability: "bank.pay", target: invoice }],
    },
  },
  store: memoryStore(), // in memory; `openSqliteStore({ path })` of @toolkeep/sqlite survives a restart
} satisfies GovernOptions<typeof myTools>;

export async function POST(request: Request) {
  const { id, messages } = (await request.json()) as { id: string; messages: UIMessage[] };
  const { tools, toolApproval } = await govern(myTools, { ...options, sessionId: id });
  const result = streamText({
    model: "anthropic/claude-sonnet-4.5",
    tools,
    toolApproval,
    messages: await convertToModelMessages(messages, { tools }),
  });
  return createUIMessageStreamResponse({ stream: toUIMessageStream({ stream: result.stream }) });
}
