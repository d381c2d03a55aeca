import type { HookCall, RemoteTool } from "../../clients/hook-call.ts";
import { type Fields, neededText } from "../../clients/payload.ts";
import type { ToolReading } from "./own-tools.ts";

/** A call as the client sends it. */
export interface ClientCall {
  readonly name: string;
  readonly input: Fields;
}

/**
 * Reads a call of a client's tool with the client's table. The name identifies a server's tool. An unknown tool, or one
 * whose arguments do not say what it does, becomes `client_unknown`, which asks. `joinedBy`: what the client writes
 * between the names of a server and its tool. Default: `mcp__` before and `__` between them.
 */
export function toolCalls(
  { name, input }: ClientCall,
  table: Readonly<Record<string, ToolReading>>,
  joinedBy?: "-" | "_",
): Pick<HookCall, "calls" | "remote"> {
  if (name === "ReadMcpResourceTool") {
    const resource = { server: neededText(input, "server"), tool: "resources/read" };
    return { calls: [], remote: { candidates: [resource], arguments: input } };
  }
  const candidates = Object.hasOwn(table, name) ? [] : remoteToolsIn(name, joinedBy);
  if (candidates.length > 0) return { calls: [], remote: { candidates, arguments: input } };
  const calls = Object.hasOwn(table, name) ? table[name]?.(input) : undefined;
  return { calls: calls ?? [{ tool: "client_unknown", arguments: { tool: name } }] };
}

const MOST_CANDIDATES = 8;

/** `mcp__a__b__c` may be the tool `b__c` of `a` or the tool `c` of `a__b`. Empty if there are too many candidates. */
function remoteToolsIn(name: string, joinedBy?: "-" | "_"): readonly RemoteTool[] {
  if (joinedBy === undefined && !name.startsWith("mcp__")) return [];
  const rest = joinedBy === undefined ? name.slice("mcp__".length) : name;
  const separator = joinedBy ?? "__";
  const candidates: RemoteTool[] = [];
  for (let at = rest.indexOf(separator, 1); at !== -1; at = rest.indexOf(separator, at + 1)) {
    const candidate = { server: rest.slice(0, at), tool: rest.slice(at + separator.length) };
    if (candidate.tool !== "") candidates.push(candidate);
  }
  return candidates.length > MOST_CANDIDATES ? [] : candidates;
}
