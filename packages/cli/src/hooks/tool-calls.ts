import type { HookCall, RemotePlace } from "./hook-call.ts";
import type { ToolReading } from "./own-tools.ts";
import { type Fields, neededText } from "./payload.ts";

/** A call as the client tells of it. */
export interface ClientCall {
  readonly name: string;
  readonly input: Fields;
}

/**
 * What a call of a client's tool means, by its table. A server's tool is told by its name; a tool that nobody
 * knows, or whose arguments do not say what it would do, stays unknown, which asks.
 */
export function toolCalls(
  { name, input }: ClientCall,
  table: Readonly<Record<string, ToolReading>>,
): Pick<HookCall, "calls" | "remote"> {
  if (name === "ReadMcpResourceTool") {
    const place = { server: neededText(input, "server"), tool: "resources/read" };
    return { calls: [], remote: { directories: [place], arguments: input } };
  }
  const directories = placesIn(name);
  if (directories.length > 0) return { calls: [], remote: { directories, arguments: input } };
  const calls = Object.hasOwn(table, name) ? table[name]?.(input) : undefined;
  return { calls: calls ?? [{ tool: "client_unknown", arguments: { tool: name } }] };
}

const MOST_PLACES = 8;

/** `mcp__a__b__c` may be the tool `b__c` of `a` or the tool `c` of `a__b`; what may be too much is nobody's. */
function placesIn(name: string): readonly RemotePlace[] {
  if (!name.startsWith("mcp__")) return [];
  const rest = name.slice("mcp__".length);
  const directories: RemotePlace[] = [];
  for (let at = rest.indexOf("__", 1); at !== -1; at = rest.indexOf("__", at + 1)) {
    const place = { server: rest.slice(0, at), tool: rest.slice(at + 2) };
    if (place.tool !== "") directories.push(place);
  }
  return directories.length > MOST_PLACES ? [] : directories;
}
