import { defineTool, output, type Tool, ToolFailure } from "@toolkeep/core";

export const CALL_TOOL = "call_tool";

/**
 * The tool `call_tool`: calls a tool that `tool_search` found, for clients that do not refresh their list. The inner
 * call is governed like any other; this one has no effects and decides nothing.
 */
export function callTool(): Tool {
  return defineTool({
    name: CALL_TOOL,
    label: "Call a tool that was found",
    description:
      "Calls a tool by the name that `tool_search` returned, with arguments that fit its parameters. Only for tools that are not in your list of tools.",
    inputSchema: {
      type: "object",
      properties: {
        name: { type: "string", minLength: 1, maxLength: 64 },
        arguments: { type: "object", default: {} },
      },
      required: ["name"],
      additionalProperties: false,
    },
    requires: {},
    mode: "external",
    gated: false,
    // Nothing happens before the inner call, so this call can start over after an approval.
    resumable: true,
    effects: () => [],
    async execute({ name, arguments: args = {} }, ctx) {
      if (name === CALL_TOOL) throw new ToolFailure("invalid_arguments", "call_tool cannot call itself.");
      const result = await ctx.call(name, args as Record<string, unknown>);
      const { ok, failure, data, content, details, labels, truncation } = result;
      if (!ok)
        throw new ToolFailure(
          failure?.code ?? "tool_failed",
          failure?.message ?? "The tool failed.",
          failure?.hint === undefined ? {} : { hint: failure.hint },
        );
      return output({
        labels,
        ...(data === undefined ? {} : { data }),
        ...(content === undefined ? {} : { content }),
        ...(details === undefined ? {} : { details }),
        ...(truncation === undefined ? {} : { truncation }),
      });
    },
  }) as Tool;
}
