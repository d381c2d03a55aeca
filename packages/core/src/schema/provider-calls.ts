import type { ToolCall } from "../contract/call.ts";

/** From a tool call of OpenAI's chat completions. */
export function toolCallFromOpenAi(call: {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}): ToolCall {
  return { id: call.id, name: call.function.name, arguments: call.function.arguments };
}

/** From a `function_call` item of OpenAI's responses. */
export function toolCallFromOpenAiResponses(item: {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}): ToolCall {
  return { id: item.call_id, name: item.name, arguments: item.arguments };
}

/** From a `tool_use` block of Anthropic's messages. */
export function toolCallFromAnthropic(block: {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}): ToolCall {
  return { id: block.id, name: block.name, arguments: block.input as ToolCall["arguments"] };
}

/** From a tool call of the AI SDK. */
export function toolCallFromAiSdk(call: {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}): ToolCall {
  return { id: call.toolCallId, name: call.toolName, arguments: call.input as ToolCall["arguments"] };
}
