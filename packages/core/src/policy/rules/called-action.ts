import type { PolicyCall, PolicyTool } from "../../contract/policy/policy-call.ts";

/** `mcp:server:tool`, for a tool of an MCP server. */
export function mcpAddress({ origin, tool }: PolicyTool): string | undefined {
  if (origin.source !== "mcp" || tool.remote === undefined) return undefined;
  return `mcp:${tool.remote.serverId}:${tool.remote.tool}`;
}

/** The chosen action of a tool that has several. Rules name it as `tool.action`. */
export function actionOf({ found, args }: PolicyCall): string | undefined {
  const { actionArgument } = found.tool;
  if (actionArgument === undefined) return undefined;
  const chosen = args[actionArgument];
  return typeof chosen === "string" ? chosen : undefined;
}
