import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { HttpServer } from "../servers/server-entry.ts";
import { bothGenerationsServer } from "./both-generations.test.kit.ts";

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** Every request that came, in order. */
  readonly seen: readonly IncomingMessage[];
  /** Ends it and every connection to it. */
  stop(): Promise<void>;
}

const running: Server[] = [];

export async function listening(listener: RequestListener, port = 0): Promise<RunningServer> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    listener(request, response);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  running.push(server);
  const given = (server.address() as AddressInfo).port;
  return { url: `http://127.0.0.1:${given}/mcp`, port: given, seen, stop: () => stop(server) };
}

export async function stopAll(): Promise<void> {
  await Promise.all(running.splice(0).map(stop));
}

async function stop(server: Server): Promise<void> {
  if (!server.listening) return;
  server.closeAllConnections();
  server.close();
  await once(server, "close");
}

/** Their types leave out what may be `undefined`. */
export function toListener(handler: Parameters<typeof toNodeHandler>[0]): RequestListener {
  return toNodeHandler(handler) as unknown as RequestListener;
}

/** Both revisions, without sessions. */
export function modernServer(port = 0): Promise<RunningServer> {
  const handler = createMcpHandler(() => bothGenerationsServer(() => handler.notify.toolsChanged()));
  return listening(toListener(handler), port);
}

export interface SessionServer extends RunningServer {
  /** Forgets every session, as a server does that was started anew. */
  forget(): void;
  /** Whether a client listens for what the server reports on its own. */
  isStreaming(): boolean;
}

/** The older revision alone, with a session for each client. */
export async function sessionServer(): Promise<SessionServer> {
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  const streams: ServerResponse[] = [];
  const server = await listening(async (request, response) => {
    if (request.method === "GET") streams.push(response);
    const known = sessions.get(`${request.headers["mcp-session-id"]}`);
    if (known !== undefined) return known.handleRequest(request, response);
    if (request.headers["mcp-session-id"] !== undefined) {
      response.writeHead(404).end();
      return;
    }
    const transport: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await bothGenerationsServer().connect(transport);
    await transport.handleRequest(request, response);
  });
  const isStreaming = () => streams.some(({ headersSent }) => headersSent);
  return { ...server, forget: () => sessions.clear(), isStreaming };
}

export function httpEntry(url: string, headers: Readonly<Record<string, string>> = {}): HttpServer {
  return { kind: "http", name: "testing", url, headers, isOfProject: false };
}
