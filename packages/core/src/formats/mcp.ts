import type { ToolResult } from "../contract/call/result.ts";
import { toJsonSchema } from "../schema/to-json-schema.ts";
import { type DescribedTool, inputSchemaOf, toolOf } from "./definition.ts";
import { modelContent } from "./model-text.ts";

/** The messages of an MCP server. To serve tools over MCP, see `serveMcp` in `@toolkeep/mcp`. */
export const mcp = Object.freeze({
  /** An entry of the answer to `tools/list`. */
  definition(tool: DescribedTool) {
    const { name, label, description, outputSchema, mode, isModeGuessed, idempotent } = toolOf(tool);
    return {
      name,
      title: label,
      description,
      inputSchema: inputSchemaOf(tool),
      ...(outputSchema === undefined ? {} : { outputSchema: toJsonSchema(outputSchema) }),
      annotations: {
        // Clients ask less for tools that only read and destroy nothing; a guess from the name is no basis for that.
        readOnlyHint: mode === "read" && !isModeGuessed,
        ...(isModeGuessed && mode !== "destructive" ? {} : { destructiveHint: mode === "destructive" }),
        idempotentHint: idempotent,
        openWorldHint: mode === "external",
      },
    };
  },

  /** The answer to `tools/call`. */
  result(result: ToolResult) {
    const { data } = result;
    const isRecord = typeof data === "object" && data !== null && !Array.isArray(data);
    return {
      content: modelContent(result).map((block) =>
        block.type === "text"
          ? block
          : { type: "image" as const, data: block.data, mimeType: block.mimeType },
      ),
      ...(result.ok && isRecord ? { structuredContent: data as Record<string, unknown> } : {}),
      isError: !result.ok,
    };
  },
});
