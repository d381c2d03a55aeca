import type { LoggingLevel } from "@modelcontextprotocol/server";
import { createRegistry, ToolkeepError } from "@toolkeep/core";
import { assertKnownKeys } from "@toolkeep/core/internal";
import type { ConnectionNews } from "../connection/connection.ts";
import { memoryAcceptedServers } from "../servers/memory-accepted-servers.ts";
import { entriesOf, type McpServerConfig } from "../servers/server-config.ts";
import type { ServerEntry } from "../servers/server-entry.ts";
import { createApprovalQueue } from "../serving/approval-queue.ts";
import { type McpServing, type ServeAnswers, serveMcp } from "../serving/serve-mcp.ts";
import type { McpSource } from "../source/mcp-source.ts";
import { openMcpSource } from "../source/open-mcp-source.ts";
import { prefixedName } from "../source/tool-name.ts";
import type { Gateway, GatewayOptions } from "./gateway.ts";
import { gatewayInstructions } from "./gateway-instructions.ts";
import { missingServers } from "./gateway-status.ts";
import { GatewayTools, isShown } from "./gateway-tools.ts";
import { RelayedNews } from "./relayed-news.ts";
import { ServerOffers, STATUS_URI } from "./server-offers.ts";

const OPTIONS: Readonly<Record<keyof GatewayOptions, true>> = {
  ...{ servers: true, accepted: true, open: true, searchAbove: true, info: true, onNote: true },
  ...{ owner: true, settings: true, maps: true, sandbox: true, folder: true, oauth: true, connect: true },
  ...{ environment: true, naming: true, consent: true },
  ...{ takeAnswers: true, waitMs: true, approvalSecret: true, beforeCall: true },
};
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
  assertKnownKeys(options, Object.keys(OPTIONS), "gateway option");
  const servers = serversOf(options);
  const {
    naming,
    accepted = memoryAcceptedServers(),
    searchAbove = SEARCH_ABOVE,
    onNote = () => {},
  } = options;
  const registry = createRegistry();
  const queue = createApprovalQueue();
  const session = await options.open({ registry, approver: queue.approver });
  const source = openMcpSource({ ...options, accepted, registry });
  const above = searchAbove === "never" ? Number.POSITIVE_INFINITY : searchAbove;
  const tools = new GatewayTools({ registry, source, searchAbove: above });
  const promptName = (server: string, prompt: string) =>
    naming === "plain" ? prompt : prefixedName({ server, tool: prompt });
  const news = new RelayedNews(source, (message) => relay(message, serving));
  const wantLogs = (level: LoggingLevel | undefined) => news.want(level);
  const offers = new ServerOffers({ source, session, promptName, wantLogs, onNote });
  const { promise: started, resolve: start } = Promise.withResolvers<void>();
  const serving = serveMcp(session, {
    ...servingOptions(options),
    queue,
    isShown,
    offers,
    instructions: () => gatewayInstructions(source, tools.isSearching),
    missing: () => missingServers(source),
    ready: started,
  });
  startServers(servers, { source, tools, offers, news, serving, onNote })
    .catch((error: unknown) => onNote(`A server could not be added: ${reasonOf(error)}`))
    .finally(start);
  return {
    session,
    source,
    started,
    serveStdio: () => serving.serveStdio(),
    serveHttp: (http) => serving.serveHttp(http),
    close,
    [Symbol.asyncDispose]: close,
  };
  async function close(): Promise<void> {
    // Server processes need time to end; the timer keeps this process alive until they have.
    const alive = setInterval(() => {}, ALIVE_MS);
    try {
      await serving.close();
      await session.close();
      await source.close();
    } finally {
      clearInterval(alive);
    }
  }
}

/** What a gateway passes on to those who serve it. */
function servingOptions(
  options: GatewayOptions,
): ServeAnswers & Pick<GatewayOptions, "info" | "onNote" | "searchAbove"> {
  const { info, onNote, waitMs, approvalSecret, searchAbove } = options;
  return {
    ...(info === undefined ? {} : { info }),
    ...(onNote === undefined ? {} : { onNote }),
    ...(waitMs === undefined ? {} : { waitMs }),
    ...(approvalSecret === undefined ? {} : { approvalSecret }),
    ...(searchAbove === undefined ? {} : { searchAbove }),
    ...(options.takeAnswers === undefined ? {} : { takeAnswers: options.takeAnswers.bind(options) }),
    ...(options.beforeCall === undefined ? {} : { beforeCall: options.beforeCall.bind(options) }),
  };
}

function relay(news: ConnectionNews, serving: McpServing): void {
  if (news.kind === "updated") serving.resourceUpdated(news.uri);
  else serving.log(news.message);
}

interface Kept {
  readonly source: McpSource;
  readonly tools: GatewayTools;
  readonly offers: ServerOffers;
  readonly news: RelayedNews;
  readonly serving: McpServing;
  readonly onNote: (note: string) => void;
}

/** Starts all servers at once, and keeps the offered tools in step with them. */
async function startServers(
  servers: readonly ServerEntry[],
  { source, tools, offers, news, serving, onNote }: Kept,
): Promise<void> {
  async function update(): Promise<void> {
    tools.update();
    await serving.toolsChanged();
  }
  source.watch((change, server) => {
    offers.forget(server);
    news.update();
    serving.resourceUpdated(STATUS_URI);
    if (change === "resources") serving.resourcesChanged();
    if (change === "prompts") serving.promptsChanged();
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
    throw new ToolkeepError(
      "invalid_option",
      "Two servers have the same name. Give each server its own name.",
    );
  if (naming === "plain" && servers.length !== 1)
    throw new ToolkeepError("invalid_option", "Plain tool names need a gateway with exactly one server.");
  return servers;
}

function reasonOf(error: unknown): string {
  return ToolkeepError.isInstance(error) ? error.message : "an internal error of the gateway.";
}
