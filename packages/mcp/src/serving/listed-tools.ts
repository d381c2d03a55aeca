import type { Tool as McpTool } from "@modelcontextprotocol/server";
import type { Session } from "@toolkeep/core";
import { mcp } from "@toolkeep/core/formats";
import { harmlessText, type RegisteredTool } from "@toolkeep/core/internal";
import { shownTools } from "@toolkeep/tools/authoring";

export interface ListedToolsOptions {
  /** If servers have more tools than this, they are found by `tool_search`. */
  readonly above: number;
  /** Which tools are listed. */
  isShown(tool: RegisteredTool): boolean;
}

/** One page of the list, as in MCP. */
export interface ToolPage {
  readonly tools: McpTool[];
  readonly nextCursor?: string;
}

/** Large, because some clients never request a second page. */
const PAGE = 1_000;

/** The tools that clients see. Definitions are computed once, and kept while their tools are the same. */
export class ListedTools {
  readonly #session: Session;
  readonly #options: ListedToolsOptions;
  readonly #definitions = new WeakMap<RegisteredTool, McpTool | "unfit">();
  #listed: readonly RegisteredTool[] | undefined;

  constructor(session: Session, options: ListedToolsOptions) {
    this.#session = session;
    this.#options = options;
  }

  /** `undefined` for a cursor that was never issued. */
  async page(cursor: string | undefined): Promise<ToolPage | undefined> {
    const from = cursor === undefined ? 0 : Number(cursor);
    if (!Number.isSafeInteger(from) || from < 0 || from % PAGE !== 0) return undefined;
    const shown = await this.#shown();
    if (from > 0 && from >= shown.length) return undefined;
    this.#listed = shown;
    const tools = shown.slice(from, from + PAGE).flatMap((tool) => this.#definition(tool) ?? []);
    return from + PAGE < shown.length ? { tools, nextCursor: String(from + PAGE) } : { tools };
  }

  /** Whether clients that have the list should request it again. Returns `true` once for each change. */
  async hasChanged(): Promise<boolean> {
    const before = this.#listed;
    if (before === undefined) return false;
    const now = await this.#shown();
    this.#listed = now;
    return now.length !== before.length || now.some((tool, at) => tool !== before[at]);
  }

  /** Whether clients were given an output schema for this tool. */
  hasOutputSchema(name: string): boolean {
    const registered = this.#session.tools().find((tool) => tool.name === name);
    return registered !== undefined && this.#definition(registered)?.outputSchema !== undefined;
  }

  #definition(registered: RegisteredTool): McpTool | undefined {
    const known = this.#definitions.get(registered) ?? definitionOf(registered);
    this.#definitions.set(registered, known);
    return known === "unfit" ? undefined : known;
  }

  async #shown(): Promise<readonly RegisteredTool[]> {
    const { above } = this.#options;
    const isShown = (tool: RegisteredTool) => this.#options.isShown(tool);
    // Tools that are never listed do not count against the limit.
    const isDeferred = (tool: RegisteredTool) => comesFromOutside(tool) && isShown(tool);
    const shown = (await shownTools(this.#session, { above, isDeferred })).filter(isShown);
    // Servers start in any order, and the list should be the same every time. Found tools stay in their order.
    return shown.some(({ name }) => name === TOOL_SEARCH) ? shown : shown.toSorted(byName);
  }
}

const TOOL_SEARCH = "tool_search";

function byName(one: RegisteredTool, other: RegisteredTool): number {
  return one.name < other.name ? -1 : 1;
}

function comesFromOutside({ origin }: RegisteredTool): boolean {
  return origin.source === "mcp" || origin.source === "openapi";
}

/** One tool that cannot be described must not hide all others. */
function definitionOf(registered: RegisteredTool): McpTool | "unfit" {
  try {
    const { outputSchema, inputSchema, title, description, ...more } = mcp.definition(registered);
    if (inputSchema["type"] !== "object") return "unfit";
    return {
      ...more,
      inputSchema: { ...dialectOf(registered), ...inputSchema },
      title: harmlessText(title),
      description: harmlessText(description),
      ...(outputSchema?.["type"] === "object" ? { outputSchema } : {}),
    } as McpTool;
  } catch {
    return "unfit";
  }
}

/** A schema that names its dialect means something else in another one. */
function dialectOf({ tool }: RegisteredTool): { readonly $schema?: string } {
  const { $schema } = tool.inputSchema as { readonly $schema?: unknown };
  return typeof $schema === "string" ? { $schema } : {};
}
