import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  type ServerNotifier,
} from "@modelcontextprotocol/server";
import { ToolkeepError } from "@toolkeep/core";
import type { HttpEndpoint, HttpEndpointOptions } from "./endpoint.ts";
import { httpGuard } from "./http-guard.ts";
import { LegacySessions } from "./legacy-sessions.ts";
import { nodeHandler } from "./node-handler.ts";
import { UnauthenticatedConnections } from "./unauthenticated-connections.ts";
import { listenedResources, type WatchedResources } from "./watched-resources.ts";

/** What an HTTP endpoint serves. */
export interface HttpParts {
  make(generation: "legacy" | "modern"): Server;
  /** Called with every server that can send notifications, while it lasts. */
  joined(server: Server, generation: "legacy" | "modern"): () => void;
  /** Receives the function that notifies all other clients. */
  notifier(notify: ServerNotifier): () => void;
  /** The resources that clients of the newer protocol generation listen for. */
  readonly watched: WatchedResources;
  onNote(note: string): void;
}

const PATH = "/mcp";
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];
const SHORTEST_TOKEN = 32;
const MOST_BODY_BYTES = 4 * 1024 * 1024;
const MOST_SESSIONS = 100;
const IDLE_MS = 30 * 60_000;
const MOST_CONNECTIONS = 500;
const MOST_UNAUTHENTICATED = 100;
/** For a connection that has not sent a complete header. */
const HEADERS_MS = 10_000;

/**
 * Serves both protocol generations at one address: the newer one without sessions, the older one with.
 * @throws ToolkeepError `invalid_option` for an address beyond this machine without a token and its own host names.
 */
export async function serveHttp(parts: HttpParts, options: HttpEndpointOptions = {}): Promise<HttpEndpoint> {
  const { address = "127.0.0.1", port = 0 } = options;
  const { token, hosts } = admission(address, options);
  const legacy = new LegacySessions({
    make: () => parts.make("legacy"),
    joined: (server) => parts.joined(server, "legacy"),
    most: MOST_SESSIONS,
    idleMs: IDLE_MS,
    maxBodyBytes: MOST_BODY_BYTES,
  });
  const onerror = (error: Error) => parts.onNote(`HTTP: ${error.message}`);
  const modern = createMcpHandler(() => parts.make("modern"), {
    legacy: "reject",
    maxRequestBodySize: MOST_BODY_BYTES,
    onerror,
  });
  const remove = parts.notifier(modern.notify);
  const answer = nodeHandler(
    async (request) =>
      (await isLegacyRequest(request))
        ? legacy.fetch(request)
        : listening(request, parts.watched, (wanted) => modern.fetch(wanted)),
    { maxBodyBytes: MOST_BODY_BYTES, onError: onerror },
  );
  const isLetIn = httpGuard({ token, hosts, origins: options.origins ?? [], path: PATH });
  const unauthenticated = new UnauthenticatedConnections(MOST_UNAUTHENTICATED);
  const times = { headersTimeout: HEADERS_MS, connectionsCheckingInterval: HEADERS_MS / 4 };
  const server = createServer(times, (req, res) => {
    if (!isLetIn(req, res)) return;
    unauthenticated.letIn(req.socket);
    const sessionId = req.headers["mcp-session-id"];
    if (typeof sessionId === "string") res.once("close", legacy.enter(sessionId));
    answer(req, res).catch(onerror);
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.on("connection", (socket) => unauthenticated.enter(socket));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, resolve);
  });
  server.removeAllListeners("error").on("error", onerror);
  const bound = server.address() as AddressInfo;
  const host = bound.family === "IPv6" ? `[${bound.address}]` : bound.address;
  return {
    url: `http://${host}:${bound.port}${PATH}`,
    token,
    async close() {
      remove();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.all([modern.close(), legacy.close()]);
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The library answers a client that listens, and does not expose what for. */
async function listening(
  request: Request,
  watched: WatchedResources,
  answer: (request: Request) => Promise<Response>,
): Promise<Response> {
  if (request.headers.get("mcp-method") !== "subscriptions/listen") return answer(request);
  const message: unknown = await request
    .clone()
    .json()
    .catch(() => undefined);
  const response = await answer(request);
  if (response.headers.get("content-type")?.includes("text/event-stream") !== true) return response;
  // A client is never notified of a resource that must not be watched.
  for (const uri of listenedResources(message)) watched.add(request, uri).catch(() => {});
  request.signal.addEventListener("abort", () => watched.removeAll(request), { once: true });
  if (request.signal.aborted) watched.removeAll(request);
  return response;
}

function admission(
  address: string,
  options: HttpEndpointOptions,
): { token: string; hosts: readonly string[] } {
  const { token, hosts = [] } = options;
  if (token !== undefined && token.length < SHORTEST_TOKEN)
    throw new ToolkeepError("invalid_option", `\`token\` needs at least ${SHORTEST_TOKEN} characters.`);
  const isLoopback = /^(?:127\.\d+\.\d+\.\d+|::1|localhost)$/.test(address);
  if (!isLoopback && (token === undefined || hosts.length === 0))
    throw new ToolkeepError(
      "invalid_option",
      `The address ${JSON.stringify(address)} can be reached from other machines. Set \`token\`, and set \`hosts\` to the names that clients use for it.`,
    );
  return {
    token: token ?? randomBytes(32).toString("base64url"),
    hosts: isLoopback ? [...LOOPBACK, ...hosts] : hosts,
  };
}
