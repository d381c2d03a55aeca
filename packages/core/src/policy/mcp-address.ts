import type { PolicyTool } from "../contract/call.ts";

/** `mcp:server:tool`, for a tool that lives on an MCP server. */
export function mcpAddress({ origin, tool }: PolicyTool): string | undefined {
  if (origin.source !== "mcp" || tool.remote === undefined) return undefined;
  return `mcp:${tool.remote.serverId}:${tool.remote.tool}`;
}
