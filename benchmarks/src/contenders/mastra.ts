import { createTool, noopObserve } from "@mastra/core/tools";
import { serveContender } from "../contender.ts";
import { executeFindText, type FindTextArguments, findText, findTextSchema } from "../find-text-tool.ts";

await serveContender(() => {
  const mastraTool = createTool({
    id: findText.name,
    description: findText.description,
    // Its types need a mutable schema.
    inputSchema: JSON.parse(JSON.stringify(findTextSchema)),
    execute: (args) => executeFindText(args as FindTextArguments),
  });
  const context = { observe: noopObserve };
  return { call: async (text) => await mastraTool.execute?.(JSON.parse(text), context) };
});
