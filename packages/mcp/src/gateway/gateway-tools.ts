import {
  defineTool,
  type Registry,
  type Tool,
  type ToolContext,
  ToolFailure,
  toolOutput,
} from "@toolkeep/core";
import type { RegisteredTool } from "@toolkeep/core/internal";
import { defined } from "@toolkeep/core/internal";
import { toolSearchTool } from "@toolkeep/tools/internal";
import type { McpSource } from "../source/mcp-source.ts";
import { gatewayStatus, troubles } from "./gateway-status.ts";

const CALL_TOOL = "call_tool";

const GATEWAY_STATUS = "gateway_status";
const TOOL_SEARCH = "tool_search";
const SERVER_LOGIN = "server_login";
const OWN: ReadonlySet<string> = new Set([TOOL_SEARCH, CALL_TOOL, GATEWAY_STATUS, SERVER_LOGIN]);
const LOGIN_WITHIN_MS = 6 * 60_000;

export interface GatewayToolsParts {
  readonly registry: Registry;
  readonly source: Pick<McpSource, "servers" | "connection">;
  /** If servers have more tools than this, they are found by `tool_search` instead of being listed. */
  readonly searchAbove: number;
  /** Whether a tool is found in the session of this id. */
  isListed(tool: RegisteredTool, sessionId: string): boolean;
}

/** The gateway's own tools, each offered only while it is useful. */
export class GatewayTools {
  readonly #parts: GatewayToolsParts;
  readonly #search: readonly Tool[];
  readonly #status: Tool;
  readonly #login: Tool;

  constructor(parts: GatewayToolsParts) {
    const { source } = parts;
    this.#parts = parts;
    const search = toolSearchTool({ isListed: ({ name }) => !OWN.has(name) });
    this.#search = [withTroubles(search, parts), callTool()];
    this.#status = statusTool(source);
    this.#login = loginTool(source);
  }

  /** Whether tools are searched for instead of listed. */
  get isSearching(): boolean {
    const { registry, searchAbove } = this.#parts;
    return (
      registry.list().filter((tool) => isShown(tool) && tool.origin.source === "mcp").length > searchAbove
    );
  }

  /** Call it whenever tools or servers have changed. */
  update(): void {
    const { source } = this.#parts;
    for (const tool of this.#search) this.#setOffered(tool, this.isSearching);
    this.#setOffered(this.#status, troubles(source).length > 0);
    this.#setOffered(this.#login, needingLogin(source).length > 0);
  }

  #setOffered(tool: Tool, isWanted: boolean): void {
    const { registry } = this.#parts;
    const isThere = registry.get(tool.name)?.tool === tool;
    if (isWanted && !isThere) registry.register(tool);
    if (!isWanted && isThere) registry.unregister(tool.name);
  }
}

/** Clients read resources and prompts directly, so the tools for them are not listed as well. */
export function isShown({ tool, origin }: RegisteredTool): boolean {
  return origin.source !== "mcp" || tool.requires === "unknown" || !isReadingServer(tool);
}

/** Whether this is our own tool for a server's resources or prompts, and not one of the server. */
export function isReadingServer({ requires, remote }: Tool): boolean {
  return (
    remote !== undefined && requires !== "unknown" && requires.capabilities?.includes("mcp.read") === true
  );
}

/** A model that finds nothing should learn which servers are unavailable. */
function withTroubles(
  search: Tool,
  { source, isListed }: Pick<GatewayToolsParts, "source" | "isListed">,
): Tool {
  return Object.freeze({
    ...search,
    async execute(args: unknown, ctx: ToolContext) {
      const { state, sessionId } = ctx;
      const tools = ctx.tools.filter((tool) => isListed(tool, sessionId));
      const found = (await search.execute(args, { ...ctx, state, sessionId, tools })) as object;
      const missing = troubles(source);
      return missing.length === 0 ? found : { ...found, servers_not_available: missing };
    },
  });
}

function statusTool(source: Pick<McpSource, "servers">): Tool {
  return defineTool({
    name: GATEWAY_STATUS,
    label: "State of the servers",
    description:
      "Reports the status of the MCP servers behind this gateway: which cannot be reached, and which tools await review. It is listed only while something is unavailable. The user sees the reasons with `toolkeep servers`.",
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    requires: {},
    mode: "read",
    gated: false,
    effects: () => [],
    execute: () => ({ servers: gatewayStatus(source) }),
  }) as Tool;
}

type Source = GatewayToolsParts["source"];

function needingLogin(source: Source): readonly string[] {
  const names = source.servers.map(({ entry }) => entry.name);
  return names.filter((name) => source.connection(name)?.needsLogin === true);
}

/** The tool `server_login`: a server that was never connected has no tools yet whose call could ask for its login. */
function loginTool(source: Source): Tool {
  return defineTool({
    name: SERVER_LOGIN,
    label: "Log in to a server",
    description:
      "Asks the user to log in to an MCP server that requires it, so that its tools can be used. `gateway_status` names the servers. It is listed only while a server requires a login.",
    inputSchema: {
      type: "object",
      properties: { server: { type: "string", minLength: 1, maxLength: 64 } },
      required: ["server"],
      additionalProperties: false,
    },
    requires: {},
    mode: "external",
    gated: false,
    timeoutMs: LOGIN_WITHIN_MS,
    stateSlot: { version: 1 },
    effects: () => [],
    async execute({ server }, ctx) {
      const needing = needingLogin(source);
      if (!needing.includes(server))
        throw new ToolFailure("not_found", `The server ${JSON.stringify(server)} requires no login.`, {
          hint: `These do: ${needing.join(", ")}.`,
        });
      const ask = (questions: Parameters<typeof ctx.ask>[0]) => {
        // The page of this login is valid in this process alone, so that the call waits here for the answer.
        ctx.state.set({ asked: true });
        return ctx.ask(questions);
      };
      await source.connection(server)?.login?.({ ask, signal: ctx.abortSignal });
      return `The user is logged in to ${server}. Its tools can be used now.`;
    },
  }) as Tool;
}

/**
 * The tool `call_tool`: calls a tool that `tool_search` found, for clients that do not refresh their list. The inner
 * call is governed like any other; this one has no effects and decides nothing.
 */
function callTool(): Tool {
  return defineTool({
    name: CALL_TOOL,
    label: "Call a tool that was found",
    description:
      "Calls a tool by the name that `tool_search` returned, with arguments that fit its parameters. Only for tools that are not in your list of tools.",
    inputSchema: {
      type: "object",
      properties: {
        name: { type: "string", minLength: 1, maxLength: 64 },
        arguments: { type: "object", default: {} },
      },
      required: ["name"],
      additionalProperties: false,
    },
    requires: {},
    mode: "external",
    gated: false,
    // Nothing happens before the inner call, so this call can start over after an approval.
    resumable: true,
    effects: () => [],
    async execute({ name, arguments: args = {} }, ctx) {
      if (name === CALL_TOOL) throw new ToolFailure("invalid_arguments", "call_tool cannot call itself.");
      const result = await ctx.call(name, args as Record<string, unknown>);
      const { ok, failure, data, content, details, labels, truncation } = result;
      if (!ok)
        throw new ToolFailure(
          failure?.code ?? "tool_failed",
          failure?.message ?? "The tool failed.",
          failure?.hint === undefined ? {} : { hint: failure.hint },
        );
      return toolOutput({ labels, ...defined({ data, content, details, truncation }) });
    },
  }) as Tool;
}
