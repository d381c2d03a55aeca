import { govern } from "@toolkeep/ai";
import type { SessionStore } from "@toolkeep/core";
import { generateText, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { z } from "zod";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
let calls = 0;
const model = new MockLanguageModelV4({
  doGenerate: async () => {
    calls += 1;
    return {
      content: [{ type: "tool-call", toolCallId: `c${calls}`, toolName: "lookUp", input: '{"word":"plum"}' }],
      finishReason: { unified: "tool-calls", raw: undefined },
      usage,
      warnings: [],
    };
  },
});
const tools = {
  lookUp: tool({
    description: "Looks up a word.",
    inputSchema: z.object({ word: z.string() }),
    execute: ({ word }) => ({ word }),
  }),
};

/** One request of a chat, as a server handles it: it governs the tools, runs the loop and leaves the session. */
export async function governedRequest(store: SessionStore, sessionId: string): Promise<void> {
  // The mock remembers every request; a real model would not.
  model.doGenerateCalls.length = 0;
  const governed = await govern(tools, {
    ...{ store, sessionId, tools: { lookUp: { requires: {}, mode: "read" } } },
    policy: [{ permission: "lookUp", action: "allow" }],
  });
  const { toolResults } = await generateText({
    ...{ model, prompt: "Look it up.", tools: governed.tools, toolApproval: governed.toolApproval },
  });
  await governed.close();
  if (toolResults.length !== 1) throw new Error("the call did not run");
}
