import { aiSdk } from "@toolkeep/core/formats";
import { isRecord, type RegisteredTool, unlessThrown } from "@toolkeep/core/internal";
import { createToolIndex } from "./create-tool-index.ts";
import type { ToolEntry } from "./tool-entry.ts";

/** A searchable copy of a session's tools. */
export interface ToolCatalog {
  /** Takes over a changed list of tools. Where nothing changed, that costs one comparison for each tool. */
  update(tools: readonly RegisteredTool[]): void;
  /** The tools that match a query, best first. */
  search(query: string, limit: number): readonly RegisteredTool[];
  get(name: string): RegisteredTool | undefined;
}

/** Creates an empty catalog. Tools that `isListed` rejects are never found. */
export function toolCatalog(isListed: (tool: RegisteredTool) => boolean): ToolCatalog {
  const index = createToolIndex();
  let seen: readonly RegisteredTool[] = [];
  let listed = new Map<string, RegisteredTool>();
  return {
    update(tools) {
      if (tools.length === seen.length && tools.every((registered, at) => registered === seen[at])) return;
      seen = tools;
      const now = new Map(tools.filter(isListed).map((registered) => [registered.name, registered]));
      const gone = [...listed.keys()].filter((name) => !now.has(name));
      const changed = [...now.values()].filter((registered) => listed.get(registered.name) !== registered);
      if (gone.length > 0) index.remove(gone);
      if (changed.length > 0) index.add(changed.map(entryOf));
      listed = now;
    },
    search: (query, limit) => index.search(query, limit).flatMap(({ id }) => listed.get(id) ?? []),
    get: (name) => listed.get(name),
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

/** The JSON Schema of a tool's arguments; `undefined` for a schema that has no JSON Schema. */
export function parametersOf(registered: RegisteredTool): Readonly<Record<string, unknown>> | undefined {
  return unlessThrown(() => aiSdk.definition(registered).inputSchema);
}

const MOST_PARAMETERS = 100;

/** Names and descriptions of the parameters on the first level, which people search for. */
function parameterWords(schema: Readonly<Record<string, unknown>> | undefined): string {
  const properties = schema?.["properties"];
  if (!isRecord(properties)) return "";
  return Object.entries(properties)
    .slice(0, MOST_PARAMETERS)
    .map(([name, property]) => `${name} ${isRecord(property) ? (property["description"] ?? "") : ""}`)
    .join("\n");
}
