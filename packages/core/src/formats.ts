export type { DiscoveryRules } from "./contract/tool/discovery-rules.ts";
export { type AcpUpdate, acpUpdates } from "./formats/acp-updates.ts";
export { aiSdk } from "./formats/ai-sdk.ts";
export { anthropic } from "./formats/anthropic.ts";
export type { DefinitionOptions, DescribedTool } from "./formats/definition.ts";
export { gemini } from "./formats/gemini.ts";
export { type InstructionOptions, toInstructions } from "./formats/instructions.ts";
export { mcp } from "./formats/mcp.ts";
export { modelText } from "./formats/model-text.ts";
export { openai, openaiResponses } from "./formats/openai.ts";
export {
  type ContentMessage,
  callStatus,
  contentMessage,
  type Envelope,
  envelope,
  isTerminalResult,
  type ResultDict,
  resultDict,
  runStatus,
  type SuccessResult,
  successResult,
} from "./formats/projections.ts";
export { type SpanOptions, type TraceSpan, toTraceSpan } from "./formats/trace-span.ts";
export { describeContract } from "./registry/describe-contract.ts";
export { expandAllowed, matchesAllowList, visibleTools } from "./registry/tool-names.ts";
export { createMetrics, type Metrics, type ToolMetrics } from "./session/metrics.ts";
