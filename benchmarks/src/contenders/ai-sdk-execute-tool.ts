import { executeTool } from "@ai-sdk/provider-utils";
import { tool } from "ai";
import { serveContender } from "../contender.ts";
import { executeFindText, findText } from "../find-text-tool.ts";
import { findTextZod } from "../find-text-zod.ts";

await serveContender(() => {
  const sdkTool = tool({
    description: findText.description,
    inputSchema: findTextZod,
    execute: (args) => executeFindText(args),
  });
  return {
    async call(text, id) {
      const parts = executeTool({
        tool: sdkTool,
        input: JSON.parse(text),
        // The type requires a context, which a tool without one cannot have.
        options: { toolCallId: id, messages: [], context: undefined as never },
      });
      let output: unknown;
      for await (const part of parts) output = part.output;
      return output;
    },
  };
});
