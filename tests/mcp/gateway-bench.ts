import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { createSession, type SessionOptions } from "@toolkeep/core";
import type { Gateway, GatewayOptions } from "../../packages/mcp/src/gateway/gateway.ts";
import { openGateway } from "../../packages/mcp/src/gateway/open-gateway.ts";
import { memoryAcceptedServers } from "../../packages/mcp/src/servers/memory-accepted-servers.ts";
import type { StdioServer } from "../../packages/mcp/src/servers/server-entry.ts";
import type { HttpEndpoint } from "../../packages/mcp/src/serving/endpoint.ts";
import { FROM_SOURCE } from "../from-source.ts";
import { type ClientOptions, clientsOf, type ProtocolGeneration } from "./served.ts";

const SHOP = join(import.meta.dirname, "servers/shop-server.ts");

/** The kit server under a name; what it did is in `log`. */
export function shopServer(name: string, env: Readonly<Record<string, string>> = {}): StdioServer {
  const args = [...FROM_SOURCE, SHOP];
  return { kind: "stdio", name, isOfProject: false, command: process.execPath, args, env };
}

/** A server that logs, tells of changes, proposes values and wants forms filled in. */
export function newsServer(
  name: string,
  generation: ProtocolGeneration,
  env: Readonly<Record<string, string>> = {},
): StdioServer {
  const args = [...FROM_SOURCE, join(import.meta.dirname, "servers/news-server.ts")];
  const own = { ...env, NEWS_GENERATION: generation };
  return { kind: "stdio", name, isOfProject: false, command: process.execPath, args, env: own };
}

/** A gateway over HTTP with real servers behind it. */
export interface GatewayBench {
  readonly gateway: Gateway;
  readonly endpoint: HttpEndpoint;
  readonly notes: string[];
  client(generation: ProtocolGeneration, options?: ClientOptions): Promise<Client>;
  close(): Promise<void>;
}

export const ALLOW_ALL = [{ permission: "*", action: "allow" as const }];

export async function openBench(
  options: Partial<GatewayOptions> & Pick<GatewayOptions, "servers">,
  session: SessionOptions = { policy: ALLOW_ALL },
): Promise<GatewayBench> {
  const notes: string[] = [];
  const gateway = await openGateway({
    accepted: memoryAcceptedServers(),
    open: (parts) => createSession({ ...session, ...parts }),
    onNote: (note) => notes.push(note),
    ...options,
  });
  const endpoint = await gateway.serveHttp();
  const clients = clientsOf(endpoint);
  return {
    gateway,
    endpoint,
    notes,
    client: clients.connect,
    async close() {
      await clients.close();
      await gateway.close();
    },
  };
}

/** A folder for one test, removed by the returned function. */
export async function temporaryFolder(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "toolkeep-mcp-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
