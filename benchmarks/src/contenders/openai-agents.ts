import { invokeFunctionTool, RunContext, tool } from "@openai/agents";
import { serveContender } from "../contender.ts";
import { executeFindText, findText } from "../find-text-tool.ts";
import { findTextZod } from "../find-text-zod.ts";

await serveContender(() => {
  const functionTool = tool({
    name: findText.name,
    description: findText.description,
    parameters: findTextZod,
    execute: (args) => executeFindText(args),
  });
  const runContext = new RunContext();
  return { call: (text) => invokeFunctionTool({ tool: functionTool, runContext, input: text }) };
});
