import { CLIENT_TOOLS, listIn, rowsByName } from "@toolkeep/catalog/internal";
import type { HookCall, RemoteTool } from "../../clients/hook-call.ts";
import { type Fields, neededText } from "../../clients/payload.ts";
import * as own from "./own-tools.ts";
import { patches } from "./patch-files.ts";

type ToolTable = Readonly<Record<string, own.ToolReading>>;

/** The words of the table that say what a tool does. The names of the arguments that tell it follow them. */
const READINGS: Readonly<Record<string, (...names: readonly string[]) => own.ToolReading>> = {
  ...{ runs: own.runs, reads: own.reads, readsMany: own.readsMany, lists: own.lists, deletes: own.deletes },
  ...{ writes: own.writes, writesIfNamed: own.writesIfNamed, edits: own.edits, patches },
  ...{ searches: own.searches, searchesByGlob: own.searchesByGlob, looksThrough: own.looksThrough },
  fetches: own.fetches,
  fetchesFromPrompt: () => own.fetchesFromPrompt,
  searchesTheWeb: () => own.searchesTheWeb,
  staysInside: () => own.staysInside,
};

/** The tools of a client, and those that are read in another way. */
export function toolsOf(client: keyof typeof CLIENT_TOOLS, others: ToolTable = {}): ToolTable {
  const rows: Readonly<Record<string, string>> = CLIENT_TOOLS[client];
  const tools = rowsByName(rows, (row) => {
    const [word = "", ...names] = listIn(row);
    const reading = READINGS[word];
    if (reading === undefined) throw new Error(`No tool is read as ${word}.`);
    return reading(...names);
  });
  return { ...tools, ...others };
}

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
  table: ToolTable,
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
