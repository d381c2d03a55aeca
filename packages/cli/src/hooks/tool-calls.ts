import type { HookCall } from "./hook-call.ts";
import type { ToolReading } from "./own-tools.ts";
import { type Fields, neededText } from "./payload.ts";

/**
 * What a call of a client's tool means, by its table. A server's tool is told by its name; a tool that nobody
 * knows, or whose arguments do not say what it would do, stays unknown, which asks.
 */
export function toolCalls(
  name: string,
  input: Fields,
  table: Readonly<Record<string, ToolReading>>,
): Pick<HookCall, "calls" | "remote"> {
  if (name === "ReadMcpResourceTool") {
    const remote = { server: neededText(input, "server"), tool: "resources/read", arguments: input };
    return { calls: [], remote };
  }
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  if (server !== undefined && tool !== undefined)
    return { calls: [], remote: { server, tool, arguments: input } };
  const calls = Object.hasOwn(table, name) ? table[name]?.(input) : undefined;
  return { calls: calls ?? [{ tool: "client_unknown", arguments: { tool: name } }] };
}
