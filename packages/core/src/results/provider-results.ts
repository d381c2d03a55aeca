import type { ToolResult } from "../contract/result.ts";
import { modelContent, modelText } from "./model-text.ts";

/** A tool message of OpenAI's chat completions. */
export function toOpenAiResult(result: ToolResult) {
  return { role: "tool" as const, tool_call_id: result.callId, content: marked(result) };
}

/** A `function_call_output` item of OpenAI's responses. */
export function toOpenAiResponsesResult(result: ToolResult) {
  return { type: "function_call_output" as const, call_id: result.callId, output: marked(result) };
}

/** OpenAI's shapes have no place to say that a call failed. */
function marked(result: ToolResult): string {
  return result.ok ? modelText(result) : `Error: ${modelText(result)}`;
}

/** A `tool_result` block of Anthropic's messages. */
export function toAnthropicResult(result: ToolResult) {
  return {
    type: "tool_result" as const,
    tool_use_id: result.callId,
    is_error: !result.ok,
    content: modelContent(result).map((block) =>
      block.type === "text"
        ? { type: "text" as const, text: block.text }
        : {
            type: "image" as const,
            source: {
              type: "base64" as const,
              media_type: block.mimeType as AnthropicImage,
              data: block.data,
            },
          },
    ),
  };
}

type AnthropicImage = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

/** A `tool-result` part of the AI SDK. */
export function toAiSdkResult(result: ToolResult) {
  return {
    type: "tool-result" as const,
    toolCallId: result.callId,
    toolName: result.toolName,
    output: result.ok
      ? {
          type: "content" as const,
          value: modelContent(result).map((block) =>
            block.type === "text"
              ? { type: "text" as const, text: block.text }
              : {
                  type: "file" as const,
                  data: { type: "data" as const, data: block.data },
                  mediaType: block.mimeType,
                },
          ),
        }
      : { type: "error-text" as const, value: modelText(result) },
  };
}

/** A `CallToolResult` of MCP. */
export function toMcpResult(result: ToolResult) {
  const { data } = result;
  const isRecord = typeof data === "object" && data !== null && !Array.isArray(data);
  return {
    content: modelContent(result).map((block) =>
      block.type === "text" ? block : { type: "image" as const, data: block.data, mimeType: block.mimeType },
    ),
    ...(result.ok && isRecord ? { structuredContent: data as Record<string, unknown> } : {}),
    isError: !result.ok,
  };
}
