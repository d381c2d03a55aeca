import type { ToolResult } from "../contract/call/result.ts";
import type { JsonSchema } from "../contract/call/schema-type.ts";
import type { ToolCall } from "../contract/stages/call.ts";
import { toAnthropicStrict } from "./anthropic-strict.ts";
import { type DefinitionOptions, type DescribedTool, inputSchemaOf, isStrict, toolOf } from "./definition.ts";
import { modelContent } from "./model-text.ts";

type ObjectSchema = JsonSchema & { readonly type: "object" };
type ImageType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

interface AssistantMessage {
  readonly content: readonly { readonly type: string }[];
}

interface ToolUse {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/**
 * Anthropic's messages.
 *
 * @example
 * const tools = session.tools().map((tool) => anthropic.definition(tool));
 * const message = await client.messages.create({ model, max_tokens, messages, tools });
 * const turn = await session.run(anthropic.toolCalls(message));
 * if (turn.status === "done") messages.push({ role: "user", content: turn.results.map(anthropic.result) });
 */
export const anthropic = Object.freeze({
  /** An entry of `tools`. */
  definition(tool: DescribedTool, options: DefinitionOptions = {}) {
    const { name, description } = toolOf(tool);
    const schema = inputSchemaOf(tool, options);
    const made = isStrict(tool, options) ? toAnthropicStrict(schema) : undefined;
    return made === undefined
      ? { name, description, input_schema: schema as ObjectSchema }
      : { name, description, input_schema: made as ObjectSchema, strict: true as const };
  },

  /** The `tool_use` blocks of a message. */
  toolCalls({ content }: AssistantMessage): readonly ToolCall[] {
    return content
      .filter((block): block is ToolUse => block.type === "tool_use")
      .map(({ id, name, input }) => ({ id, name, arguments: input as ToolCall["arguments"] }));
  },

  /** The `tool_result` block that answers a call. */
  result(result: ToolResult) {
    return {
      type: "tool_result" as const,
      tool_use_id: result.callId,
      is_error: !result.ok,
      content: modelContent(result).map((block) =>
        block.type === "text"
          ? { type: "text" as const, text: block.text }
          : {
              type: "image" as const,
              source: { type: "base64" as const, media_type: block.mimeType as ImageType, data: block.data },
            },
      ),
    };
  },
});
