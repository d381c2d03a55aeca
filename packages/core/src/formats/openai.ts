import type { ToolResult } from "../contract/call/result.ts";
import type { ToolCall } from "../contract/stages/call.ts";
import { type DefinitionOptions, type DescribedTool, inputSchemaOf, isStrict, toolOf } from "./definition.ts";
import { modelText } from "./model-text.ts";
import { toOpenAiStrict } from "./openai-strict.ts";

/** The part of an assistant message of chat completions that has the tool calls. */
interface ChatMessage {
  readonly tool_calls?:
    | readonly {
        readonly id: string;
        readonly function?: { readonly name: string; readonly arguments: string };
      }[]
    | null;
}

/**
 * OpenAI's chat completions, and the many APIs that have the same shape.
 *
 * @example
 * const tools = session.tools().map((tool) => openai.definition(tool, { strict: true }));
 * const { choices } = await client.chat.completions.create({ model, messages, tools });
 * const turn = await session.run(openai.toolCalls(choices[0].message));
 * if (turn.status === "done") messages.push(...turn.results.map(openai.result));
 */
export const openai = Object.freeze({
  /** An entry of `tools`. */
  definition(tool: DescribedTool, options: DefinitionOptions = {}) {
    const { name, description } = toolOf(tool);
    return { type: "function" as const, function: { name, description, ...parametersOf(tool, options) } };
  },

  /** The tool calls of an assistant message. Calls of custom tools, which have no JSON arguments, are left out. */
  toolCalls({ tool_calls }: ChatMessage): readonly ToolCall[] {
    return (tool_calls ?? []).flatMap(({ id, function: call }) =>
      call === undefined ? [] : [{ id, name: call.name, arguments: call.arguments }],
    );
  },

  /** The `tool` message that answers a call. */
  result(result: ToolResult) {
    return { role: "tool" as const, tool_call_id: result.callId, content: markedText(result) };
  },
});

/** The part of a response that has the tool calls. */
interface ResponseOutput {
  readonly output: readonly { readonly type: string }[];
}

interface FunctionCallItem {
  readonly type: "function_call";
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

/**
 * OpenAI's responses.
 *
 * @example
 * const tools = session.tools().map((tool) => openaiResponses.definition(tool));
 * const response = await client.responses.create({ model, input, tools });
 * const turn = await session.run(openaiResponses.toolCalls(response));
 * if (turn.status === "done") input.push(...response.output, ...turn.results.map(openaiResponses.result));
 */
export const openaiResponses = Object.freeze({
  /** An entry of `tools`. */
  definition(tool: DescribedTool, options: DefinitionOptions = {}) {
    const { name, description } = toolOf(tool);
    const { parameters, strict = false } = parametersOf(tool, options);
    return { type: "function" as const, name, description, parameters, strict };
  },

  /** The `function_call` items of a response. */
  toolCalls({ output }: ResponseOutput): readonly ToolCall[] {
    return output
      .filter((item): item is FunctionCallItem => item.type === "function_call")
      .map(({ call_id: id, name, arguments: text }) => ({ id, name, arguments: text }));
  },

  /** The `function_call_output` item that answers a call. */
  result(result: ToolResult) {
    return { type: "function_call_output" as const, call_id: result.callId, output: markedText(result) };
  },
});

function parametersOf(tool: DescribedTool, options: DefinitionOptions) {
  const schema = inputSchemaOf(tool, options);
  if (!isStrict(tool, options)) return { parameters: schema };
  const made = toOpenAiStrict(schema);
  return "unfit" in made ? { parameters: schema } : { parameters: made.schema, strict: true as const };
}

/** OpenAI's shapes have no field for a failure. */
function markedText(result: ToolResult): string {
  return result.ok ? modelText(result) : `Error: ${modelText(result)}`;
}
