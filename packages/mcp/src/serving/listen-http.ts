import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { invalidOption } from "@toolkeep/core/internal";
import type { HttpEndpointOptions } from "./endpoint.ts";

/** The one path of an endpoint. */
export const MCP_PATH = "/mcp";

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];
const MOST_CONNECTIONS = 500;
const MOST_UNAUTHENTICATED = 100;
/** For a connection that has not sent a complete header. */
const HEADERS_MS = 10_000;
/** For a request whose body does not end. */
const REQUEST_MS = 60_000;

export interface HttpListener {
  readonly address: string;
  readonly port: number;
  /** Answers a request; `letIn` tells that its sender is known. */
  handle(req: IncomingMessage, res: ServerResponse, letIn: () => void): Promise<void>;
  onError(error: Error): void;
}

export interface ListeningHttp {
  /** Without a path. */
  readonly origin: string;
  /** Accepts no more requests, calls `end`, and closes what is still open. */
  close(end: () => Promise<void>): Promise<void>;
}

/** Listens for requests, with limits that hold before their senders are known. */
export async function listenHttp({ address, port, handle, onError }: HttpListener): Promise<ListeningHttp> {
  const unauthenticated = new UnauthenticatedConnections(MOST_UNAUTHENTICATED);
  const times = {
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    connectionsCheckingInterval: HEADERS_MS / 4,
  };
  const server = createServer(times, (req, res) => {
    handle(req, res, () => unauthenticated.letIn(req.socket)).catch(onError);
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.on("connection", (socket) => unauthenticated.enter(socket));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, resolve);
  });
  server.removeAllListeners("error").on("error", onError);
  const bound = server.address() as AddressInfo;
  const host = bound.family === "IPv6" ? `[${bound.address}]` : bound.address;
  return {
    origin: `http://${host}:${bound.port}`,
    async close(end) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await end();
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * The names that clients may use for an address.
 * @throws ToolkeepError `invalid_option` for an address beyond this machine without names of its own.
 */
export function hostNames(
  address: string,
  { hosts = [] }: Pick<HttpEndpointOptions, "hosts">,
): readonly string[] {
  if (isLoopback(address)) return [...LOOPBACK, ...hosts];
  if (hosts.length > 0) return hosts;
  throw invalidOption(
    `The address ${JSON.stringify(address)} can be reached from other machines. Set \`hosts\` to the names that clients use for it.`,
  );
}

/** Whether only this machine can reach an address. */
export function isLoopback(address: string): boolean {
  return /^(?:127\.\d+\.\d+\.\d+|::1|localhost)$/.test(address);
}

/** Connections that have not sent a token yet. Their number is limited: the oldest is closed for the next. */
class UnauthenticatedConnections {
  readonly #sockets = new Set<Socket>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  enter(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    if (this.#sockets.size <= this.#most) return;
    const [oldest] = this.#sockets;
    oldest?.destroy();
  }

  /** It has sent a valid token. */
  letIn(socket: Socket): void {
    this.#sockets.delete(socket);
  }
}
