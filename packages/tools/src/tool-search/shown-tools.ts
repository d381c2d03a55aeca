import type { Session } from "@toolkeep/core";
import type { RegisteredTool } from "@toolkeep/core/internal";
import { TOOL_SEARCH } from "./tool-search-tool.ts";

export interface ShownToolsOptions {
  /** Which tools wait until they are found. Those of MCP servers and OpenAPI documents where it is left out. */
  readonly isDeferred?: (tool: RegisteredTool) => boolean;
  /** Up to so many of them are shown all the same. 20 where it is left out. */
  readonly above?: number;
}

/**
 * The tools that a model is to be shown in the next turn: those that never wait, then those that `tool_search`
 * found, in the order it found them. What was found is read from the journal, so it outlives the process; the
 * list only grows at its end while no tool comes or goes.
 */
export async function shownTools(
  session: Pick<Session, "tools" | "journal">,
  options: ShownToolsOptions = {},
): Promise<readonly RegisteredTool[]> {
  const { isDeferred = comesFromOutside, above = 20 } = options;
  const tools = session.tools();
  const deferred = new Map(tools.filter(isDeferred).map((tool) => [tool.name, tool]));
  deferred.delete(TOOL_SEARCH);
  if (deferred.size <= above || !tools.some(({ name }) => name === TOOL_SEARCH)) return tools;
  const found = await foundNames(session);
  return [
    ...tools.filter(({ name }) => !deferred.has(name)),
    ...found.flatMap((name) => deferred.get(name) ?? []),
  ];
}

function comesFromOutside({ origin }: RegisteredTool): boolean {
  return origin.source === "mcp" || origin.source === "openapi";
}

async function foundNames({ journal }: Pick<Session, "journal">): Promise<readonly string[]> {
  let found: unknown;
  for await (const event of journal.read({ types: ["state-write"], standing: true }))
    if (event.type === "state-write" && event.tool.startsWith(`${TOOL_SEARCH} `))
      found = (event.value.value as { found?: unknown } | null)?.found;
  return Array.isArray(found) ? found.filter((name) => typeof name === "string") : [];
}
