import { type RegisteredTool, toAiSdkDefinition } from "@toolkeep/core";
import { createToolIndex } from "./create-tool-index.ts";
import type { ToolEntry } from "./tool-entry.ts";

/** Where the registered tools are listed: a registry, or a session's own. */
export interface ToolList {
  list(): readonly RegisteredTool[];
}

/** The registered tools, searchable as they are right now. */
export interface ToolCatalog {
  /** The best for a query, best first. */
  search(query: string, limit: number): readonly RegisteredTool[];
  get(name: string): RegisteredTool | undefined;
}

/** Keeps an index in step with a list of tools. Where nothing changed, seeing that is one look at each. */
export function toolCatalog(tools: ToolList, isListed: (tool: RegisteredTool) => boolean): ToolCatalog {
  const index = createToolIndex();
  let seen: readonly RegisteredTool[] = [];
  let known = new Map<string, RegisteredTool>();

  function refresh(): void {
    const list = tools.list();
    if (list.length === seen.length && list.every((registered, at) => registered === seen[at])) return;
    seen = list;
    const now = new Map(list.filter(isListed).map((registered) => [registered.name, registered]));
    const gone = [...known.keys()].filter((name) => !now.has(name));
    const changed = [...now.values()].filter((registered) => known.get(registered.name) !== registered);
    if (gone.length > 0) index.remove(gone);
    if (changed.length > 0) index.add(changed.map(entryOf));
    known = now;
  }

  return {
    search(query, limit) {
      refresh();
      return index.search(query, limit).flatMap(({ id }) => known.get(id) ?? []);
    },
    get(name) {
      refresh();
      return known.get(name);
    },
  };
}

function entryOf(registered: RegisteredTool): ToolEntry {
  const { name, tool, origin } = registered;
  const server = tool.remote?.serverId ?? origin.id;
  return {
    id: name,
    name: tool.remote?.tool ?? name,
    description: tool.description,
    parameters: parameterWords(parametersOf(registered)),
    ...(server === undefined ? {} : { server }),
  };
}

/** The JSON Schema of a tool's arguments; `undefined` for a schema that cannot say what it accepts. */
export function parametersOf(registered: RegisteredTool): Readonly<Record<string, unknown>> | undefined {
  try {
    return toAiSdkDefinition(registered).inputSchema;
  } catch {
    return undefined;
  }
}

const MOST_PARAMETERS = 100;

/** Names and descriptions of the parameters on the first level, which is what they are asked for by. */
function parameterWords(schema: Readonly<Record<string, unknown>> | undefined): string {
  const properties = schema?.["properties"];
  if (!isRecord(properties)) return "";
  return Object.entries(properties)
    .slice(0, MOST_PARAMETERS)
    .map(([name, property]) => `${name} ${isRecord(property) ? (property["description"] ?? "") : ""}`)
    .join("\n");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
