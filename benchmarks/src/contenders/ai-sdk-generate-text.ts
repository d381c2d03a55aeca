import { generateText, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { serveContender } from "../contender.ts";
import { executeFindText, findText } from "../find-text-tool.ts";
import { findTextZod } from "../find-text-zod.ts";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

await serveContender(() => {
  let next = { text: "", id: "" };
  const model = new MockLanguageModelV4({
    doGenerate: async () => ({
      content: [{ type: "tool-call", toolCallId: next.id, toolName: findText.name, input: next.text }],
      finishReason: { unified: "tool-calls", raw: undefined },
      usage,
      warnings: [],
    }),
  });
  const tools = {
    [findText.name]: tool({
      description: findText.description,
      inputSchema: findTextZod,
      execute: (args) => executeFindText(args),
    }),
  };
  return {
    async call(text, id) {
      next = { text, id };
      return await generateText({ model, tools, prompt: "Find it." });
    },
    // The mock remembers every request; a real model would not.
    settle() {
      model.doGenerateCalls.length = 0;
    },
  };
});
