import type { McpSource, ServerReport } from "../source/mcp-source.ts";
import { troubles } from "./gateway-status.ts";

/**
 * The gateway's instructions for the model. Instructions of servers are not passed on: the model would read them as
 * the user's own.
 */
export function gatewayInstructions(source: Pick<McpSource, "servers">, isSearching: boolean): string {
  const names = source.servers.map(({ entry }) => entry.name);
  // Servers in their first attempt are ready in a moment.
  const starting = new Set(source.servers.filter(isStarting).map(({ entry }) => entry.name));
  const missing = troubles(source)
    .map(({ server }) => server)
    .filter((name) => !starting.has(name));
  return [
    `These tools come from MCP servers behind a gateway: ${names.join(", ") || "none"}. A policy decides about every call.`,
    ...(isSearching
      ? [
          "Most tools are not listed: find them with tool_search, then call them by name, or with call_tool if your list does not change.",
        ]
      : []),
    "A result that begins with `pending` means that a person must answer first and nothing was executed. Continue with something else; later make the same call with the same arguments, and it is executed once.",
    "A denied call stays denied: read the reason and do not try to achieve the same by other means.",
    ...(missing.length === 0
      ? []
      : [`Not fully available: ${missing.join(", ")}. Call gateway_status for details.`]),
  ].join("\n");
}

function isStarting({ status }: ServerReport): boolean {
  return status.state === "connecting" && status.failures === 0;
}
