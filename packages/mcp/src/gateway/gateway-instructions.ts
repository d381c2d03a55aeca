import type { McpSource, ServerReport } from "../source/mcp-source.ts";
import { troubles } from "./gateway-status.ts";

/**
 * What a model is told of the gateway. What servers say of themselves is not passed on: it would stand where only
 * the user's own words should.
 */
export function gatewayInstructions(source: Pick<McpSource, "servers">, isSearching: boolean): string {
  const names = source.servers.map(({ entry }) => entry.name);
  // Those that are tried for the first time are there in a moment.
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
    "A result that begins with `pending` means that a person must answer first and nothing was executed. Go on with something else; later make the same call with the same arguments, and it is executed once.",
    "A denied call stays denied: read the reason and do not try to reach the same by other means.",
    ...(missing.length === 0
      ? []
      : [`Something is missing of: ${missing.join(", ")}. gateway_status says what.`]),
  ].join("\n");
}

function isStarting({ status }: ServerReport): boolean {
  return status.state === "connecting" && status.failures === 0;
}
