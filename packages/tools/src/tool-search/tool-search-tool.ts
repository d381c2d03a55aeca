import { defineTool, type Tool } from "@toolkeep/core";
import { type RegisteredTool, TOOL_SEARCH } from "@toolkeep/core/internal";
import { FOUND_TOOLS, MOST_MATCHES, TOOL_SEARCH_INPUT } from "./search-schemas.ts";
import { parametersOf, type ToolCatalog, toolCatalog } from "./tool-catalog.ts";

/** Options of `tool_search`. */
export interface ToolSearchOptions {
  /** Which tools can be found. Default: every tool of the session. */
  readonly isListed?: (tool: RegisteredTool) => boolean;
}

const MOST_FOUND = 1_000;
const LONGEST_DESCRIPTION = 200;
const LONGEST_SCHEMA = 4_000;

/**
 * The tool `tool_search`: finds tools of the session that the model was not shown. The session remembers what was
 * found, and `shownTools` lists it from then on.
 */
export function toolSearchTool({ isListed = () => true }: ToolSearchOptions = {}): Tool {
  const catalog = toolCatalog((tool) => tool.name !== TOOL_SEARCH && isListed(tool));
  return defineTool({
    name: TOOL_SEARCH,
    label: "Search for tools",
    description:
      "Finds tools by what they do, or by their exact names with `select:first,second`. The tools it returns can be called from then on. Use it before you conclude that there is no tool for something.",
    inputSchema: TOOL_SEARCH_INPUT,
    requires: {},
    mode: "read",
    kind: "search",
    gated: false,
    effects: () => [],
    stateSlot: {
      version: 1,
      schema: FOUND_TOOLS,
    },
    async execute({ query, limit }, { state, tools }) {
      catalog.update(tools);
      const { matches, missing } = matchesFor(query, limit, catalog);
      const before = state.get()?.found ?? [];
      const names = matches.map(({ name }) => name).filter((name) => !before.includes(name));
      // In the order of discovery, so that the beginning of a prompt stays the same.
      if (names.length > 0) state.set({ found: [...before, ...names].slice(0, MOST_FOUND) });
      return { tools: matches.map(summaryOf), ...(missing.length === 0 ? {} : { missing }) };
    },
  });
}

function matchesFor(query: string, limit: number, catalog: ToolCatalog) {
  const chosen = /^\s*select:(.*)$/s.exec(query)?.[1];
  if (chosen === undefined) return { matches: catalog.search(query, limit), missing: [] };
  const names = [...new Set(chosen.split(",").map((name) => name.trim()))].filter((name) => name !== "");
  const wanted = names.slice(0, MOST_MATCHES);
  return {
    matches: wanted.flatMap((name) => catalog.get(name) ?? []),
    missing: wanted.filter((name) => catalog.get(name) === undefined),
  };
}

/** Enough to call the tool at once; a very long schema comes with the tool definition only. */
function summaryOf(registered: RegisteredTool) {
  const { name, tool, origin } = registered;
  const server = tool.remote?.serverId ?? origin.id;
  const parameters = parametersOf(registered);
  const isShort = parameters !== undefined && JSON.stringify(parameters).length <= LONGEST_SCHEMA;
  return {
    name,
    description: shortened(tool.description),
    ...(server === undefined ? {} : { server }),
    ...(isShort ? { parameters } : {}),
  };
}

function shortened(text: string): string {
  return text.length > LONGEST_DESCRIPTION ? `${text.slice(0, LONGEST_DESCRIPTION - 1)}…` : text;
}
