import { defineTool, type Registry, type Tool, type ToolContext } from "@toolkeep/core";
import type { RegisteredTool } from "@toolkeep/core/internal";
import { toolSearchTool } from "@toolkeep/tools/authoring";
import type { McpSource } from "../source/mcp-source.ts";
import { CALL_TOOL, callTool } from "./call-tool.ts";
import { gatewayStatus, troubles } from "./gateway-status.ts";

const GATEWAY_STATUS = "gateway_status";
const TOOL_SEARCH = "tool_search";
const OWN: ReadonlySet<string> = new Set([TOOL_SEARCH, CALL_TOOL, GATEWAY_STATUS]);

export interface GatewayToolsParts {
  readonly registry: Registry;
  readonly source: Pick<McpSource, "servers">;
  /** More tools of servers than this are found by `tool_search`. */
  readonly searchAbove: number;
}

/** The gateway's own tools, each there only while it is of use. */
export class GatewayTools {
  readonly #parts: GatewayToolsParts;
  readonly #search: readonly Tool[];
  readonly #status: Tool;

  constructor(parts: GatewayToolsParts) {
    const { source } = parts;
    this.#parts = parts;
    const search = toolSearchTool({ isListed: ({ name }) => !OWN.has(name) });
    this.#search = [withTroubles(search, source), callTool()];
    this.#status = statusTool(source);
  }

  /** Whether tools are searched for rather than listed. */
  get isSearching(): boolean {
    const { registry, searchAbove } = this.#parts;
    return (
      registry.list().filter((tool) => isShown(tool) && tool.origin.source === "mcp").length > searchAbove
    );
  }

  /** To be called whenever tools or servers changed. */
  update(): void {
    const { source } = this.#parts;
    for (const tool of this.#search) this.#put(tool, this.isSearching);
    this.#put(this.#status, troubles(source).length > 0);
  }

  #put(tool: Tool, isWanted: boolean): void {
    const { registry } = this.#parts;
    const isThere = registry.get(tool.name)?.tool === tool;
    if (isWanted && !isThere) registry.register(tool);
    if (!isWanted && isThere) registry.unregister(tool.name);
  }
}

/** Resources and prompts reach clients as such: the tools that stand for them are not listed beside. */
export function isShown({ tool, origin }: RegisteredTool): boolean {
  return origin.source !== "mcp" || tool.requires === "unknown" || !isReadingServer(tool);
}

/** Whether it is our own tool for a server's resources or prompts, and not one that the server itself has. */
export function isReadingServer({ requires, remote }: Tool): boolean {
  return (
    remote !== undefined && requires !== "unknown" && requires.capabilities?.includes("mcp.read") === true
  );
}

/** A model that finds nothing should learn that something is missing. */
function withTroubles(search: Tool, source: Pick<McpSource, "servers">): Tool {
  return Object.freeze({
    ...search,
    async execute(args: unknown, ctx: ToolContext) {
      const found = (await search.execute(args, ctx)) as object;
      const missing = troubles(source);
      return missing.length === 0 ? found : { ...found, servers_with_problems: missing };
    },
  });
}

function statusTool(source: Pick<McpSource, "servers">): Tool {
  return defineTool({
    name: GATEWAY_STATUS,
    label: "State of the servers",
    description:
      "Says how the MCP servers behind this gateway stand: which cannot be reached, and which tools are held back. It is listed only while something is missing. A person sees the reasons with `toolkeep servers`.",
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    requires: {},
    mode: "read",
    gated: false,
    effects: () => [],
    execute: () => ({ servers: gatewayStatus(source) }),
  }) as Tool;
}
