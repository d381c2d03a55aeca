import { tool } from "@langchain/core/tools";
import { serveContender } from "../contender.ts";
import { executeFindText, findText } from "../find-text-tool.ts";
import { findTextZod } from "../find-text-zod.ts";

await serveContender(() => {
  const structuredTool = tool((args) => executeFindText(args), { ...findText, schema: findTextZod });
  return { call: async (text) => await structuredTool.invoke(JSON.parse(text)) };
});
