import type { ToolResult } from "../contract/call/result.ts";
import type { ToolCall } from "../contract/stages/call.ts";
import { type DefinitionOptions, type DescribedTool, inputSchemaOf, toolOf } from "./definition.ts";
import { modelText } from "./model-text.ts";

interface ModelContent {
  readonly parts?: readonly {
    readonly functionCall?: {
      readonly id?: string;
      readonly name?: string;
      readonly args?: Record<string, unknown>;
    };
  }[];
}

/** Marks ids that we made, because Gemini may leave them out; they are not sent back. */
const OWN_ID = "toolkeep-";

/** Gemini's `generateContent`. */
export const gemini = Object.freeze({
  /** An entry of `functionDeclarations`. */
  definition(tool: DescribedTool, options: DefinitionOptions = {}) {
    const { name, description } = toolOf(tool);
    return { name, description, parametersJsonSchema: inputSchemaOf(tool, options) };
  },

  /** The `functionCall` parts of a candidate's content. */
  toolCalls({ parts = [] }: ModelContent): readonly ToolCall[] {
    return parts.flatMap(({ functionCall: call }) =>
      call === undefined
        ? []
        : [
            {
              id: call.id ?? `${OWN_ID}${crypto.randomUUID()}`,
              name: call.name ?? "",
              arguments: call.args ?? {},
            },
          ],
    );
  },

  /** The `functionResponse` part that answers a call. */
  result(result: ToolResult) {
    const { callId: id, toolName: name, ok } = result;
    const response = { [ok ? "output" : "error"]: modelText(result) };
    return { functionResponse: { ...(id.startsWith(OWN_ID) ? {} : { id }), name, response } };
  },
});
