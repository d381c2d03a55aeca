import type { Session } from "@toolkeep/core";
import { foundTools, type RegisteredTool, TOOL_SEARCH } from "@toolkeep/core/internal";

/** Options of `shownTools`. */
export interface ShownToolsOptions {
  /** Which tools are hidden until found. Default: those of MCP servers and OpenAPI documents. */
  readonly isDeferred?: (tool: RegisteredTool) => boolean;
  /** Up to this many of them are shown without a search. Default: 20. */
  readonly above?: number;
}

/**
 * The tools to show a model in the next turn: first those that are never hidden, then those that `tool_search` found, in
 * that order. What was found is read from the journal, so it survives a restart; the list only grows at its end while
 * no tool is added or removed, which keeps prompt caches valid.
 *
 * @example
 * const definitions = (await shownTools(session)).map(toAiSdkDefinition);
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
  const found = await foundTools(session);
  return [
    ...tools.filter(({ name }) => !deferred.has(name)),
    ...found.flatMap((name) => deferred.get(name) ?? []),
  ];
}

function comesFromOutside({ origin }: RegisteredTool): boolean {
  return origin.source === "mcp" || origin.source === "openapi";
}
