import { createRegistry, ToolkeepError } from "@toolkeep/core";
import { assertKnownKeys, invalidOption } from "@toolkeep/core/internal";
import { memoryAcceptedServers } from "../servers/memory-accepted-servers.ts";
import { entriesOf, type McpServerConfig } from "../servers/server-config.ts";
import type { ServerEntry } from "../servers/server-entry.ts";
import type { McpSource } from "../source/mcp-source.ts";
import { openMcpSource } from "../source/open-mcp-source.ts";
import type { Gateway, GatewayOptions } from "./gateway.ts";
import { GatewayTools } from "./gateway-tools.ts";
import { GATEWAY_OPTIONS } from "./option-names.ts";
import { RelayedNews } from "./relayed-news.ts";
import { ServedSessions } from "./served-sessions.ts";

const SEARCH_ABOVE = 20;
const ALIVE_MS = 60_000;

/**
 * Opens a gateway: MCP servers behind one governed endpoint for MCP clients. Servers start in the background: clients are served at once, and notified when tools are added.
 * @throws ToolkeepError `invalid_option` for two servers with one name, and for plain names with several servers.
 * @example
 * ```ts
 * await using gateway = await openGateway({
 *   servers: { files: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."] } },
 *   open: ({ registry, approver }) => createSession({ registry, approver, policy }),
 * });
 * await gateway.serveStdio().closed;
 * ```
 */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  assertKnownKeys(options, Object.keys(GATEWAY_OPTIONS), "gateway option");
  const servers = serversOf(options);
  const { accepted = memoryAcceptedServers(), searchAbove = SEARCH_ABOVE, onNote = () => {} } = options;
  const registry = createRegistry();
  const source = openMcpSource({ ...options, accepted, registry });
  const { promise: started, resolve: start } = Promise.withResolvers<void>();
  const tools = new GatewayTools({
    ...{ registry, source },
    searchAbove: searchAbove === "never" ? Number.POSITIVE_INFINITY : searchAbove,
    isListed: (tool, sessionId) => sessions.isListed(tool, sessionId),
  });
  const news = new RelayedNews(source, (message) => sessions.relay(message));
  const sessions: ServedSessions = new ServedSessions({
    ...{ options, registry, source, tools, news },
    ready: started,
  });
  const { session, serving } = await sessions.open().catch(async (error: unknown) => {
    await source.close();
    throw error;
  });
  startServers(servers, { source, tools, news, sessions, onNote })
    .catch((error: unknown) => onNote(`A server could not be added: ${reasonOf(error)}`))
    .finally(start);
  return {
    session,
    source,
    started,
    serveStdio: () => serving.serveStdio(),
    serveHttp: (http) => serving.serveHttp(http),
    servePeople: (http) => sessions.serve(http),
    close,
    [Symbol.asyncDispose]: close,
  };
  async function close(): Promise<void> {
    // Server processes need time to end; the timer keeps this process alive until they have.
    const alive = setInterval(() => {}, ALIVE_MS);
    try {
      await sessions.close();
      await source.close();
    } finally {
      clearInterval(alive);
    }
  }
}

interface Kept {
  readonly source: McpSource;
  readonly tools: GatewayTools;
  readonly news: RelayedNews;
  readonly sessions: ServedSessions;
  readonly onNote: (note: string) => void;
}

/** Starts all servers at once, and keeps the offered tools in step with them. */
async function startServers(
  servers: readonly ServerEntry[],
  { source, tools, news, sessions, onNote }: Kept,
): Promise<void> {
  async function update(): Promise<void> {
    tools.update();
    await sessions.toolsChanged();
  }
  source.watch((change, server) => {
    news.update();
    sessions.changed(change, server);
    update().catch((error: unknown) => onNote(`Clients were not notified of new tools: ${reasonOf(error)}`));
  });
  await Promise.all(servers.map((entry) => source.add(entry)));
  await update();
}

function serversOf({ servers: given, naming }: GatewayOptions): readonly ServerEntry[] {
  const servers = Array.isArray(given)
    ? (given as readonly ServerEntry[])
    : entriesOf(given as Readonly<Record<string, McpServerConfig>>);
  const names = new Set(servers.map(({ name }) => name));
  if (names.size < servers.length)
    throw invalidOption("Two servers have the same name. Give each server its own name.");
  if (naming === "plain" && servers.length !== 1)
    throw invalidOption("Plain tool names need a gateway with exactly one server.");
  return servers;
}

function reasonOf(error: unknown): string {
  return ToolkeepError.isInstance(error) ? error.message : "an internal error of the gateway.";
}
