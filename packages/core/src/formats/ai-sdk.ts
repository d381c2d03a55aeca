import type { ToolResult } from "../contract/call/result.ts";
import type { ToolCall } from "../contract/stages/call.ts";
import { type DefinitionOptions, type DescribedTool, inputSchemaOf, toolOf } from "./definition.ts";
import { modelContent, modelText } from "./model-text.ts";

interface StepResult {
  readonly toolCalls: readonly {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly input: unknown;
  }[];
}

/** The AI SDK's own messages. To govern the tools of an AI SDK application, see `govern` in `@toolkeep/ai`. */
export const aiSdk = Object.freeze({
  /** A function tool, as language models of the AI SDK take it. */
  definition(tool: DescribedTool, options: DefinitionOptions = {}) {
    const { name, description } = toolOf(tool);
    return { type: "function" as const, name, description, inputSchema: inputSchemaOf(tool, options) };
  },

  /** The tool calls of a step, or of the result of `generateText`. */
  toolCalls({ toolCalls }: StepResult): readonly ToolCall[] {
    return toolCalls.map(({ toolCallId: id, toolName: name, input }) => ({
      id,
      name,
      arguments: input as ToolCall["arguments"],
    }));
  },

  /** The `tool-result` part that answers a call. */
  result(result: ToolResult) {
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
  },
});
