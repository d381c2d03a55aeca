import {
  Client,
  type ElicitRequest,
  type ElicitResult,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { createSession, defineTool, type Session, type SessionOptions, type Tool } from "@toolkeep/core";
import { createApprovalQueue } from "../../packages/mcp/src/serving/approval-queue.ts";
import type { HttpEndpoint, HttpEndpointOptions } from "../../packages/mcp/src/serving/endpoint.ts";
import { type McpServing, type ServeOptions, serveMcp } from "../../packages/mcp/src/serving/serve-mcp.ts";

export type ProtocolGeneration = "legacy" | "modern";
export const GENERATIONS: readonly ProtocolGeneration[] = ["legacy", "modern"];

/** A session that is served over HTTP, and clients of it. */
export interface Served {
  readonly session: Session;
  readonly serving: McpServing;
  readonly endpoint: HttpEndpoint;
  client(generation: ProtocolGeneration, options?: ClientOptions): Promise<Client>;
  close(): Promise<void>;
}

export interface ClientOptions {
  /** Answers forms. Left out: the client cannot be asked. */
  elicit?(params: ElicitRequest["params"]): Promise<ElicitResult> | ElicitResult;
}

export interface ServedOptions {
  readonly session?: SessionOptions;
  readonly serve?: Partial<ServeOptions>;
  readonly http?: HttpEndpointOptions;
  /** Opens the session in another way than `createSession`. */
  open?(options: SessionOptions): Promise<Session>;
}

/** Clients of one endpoint, which are closed together. */
export function clientsOf(endpoint: HttpEndpoint) {
  const clients: Client[] = [];
  return {
    async connect(generation: ProtocolGeneration, more?: ClientOptions) {
      const client = await connectHttp(endpoint, generation, more);
      clients.push(client);
      return client;
    },
    async close() {
      await Promise.all(clients.map((client) => client.close().catch(() => {})));
    },
  };
}

export async function openServed(options: ServedOptions): Promise<Served> {
  const queue = createApprovalQueue();
  const open = options.open ?? createSession;
  const session = await open({ ...options.session, approver: queue.approver });
  const serving = serveMcp(session, { queue, ...options.serve });
  const endpoint = await serving.serveHttp(options.http);
  const clients = clientsOf(endpoint);
  return {
    session,
    serving,
    endpoint,
    client: clients.connect,
    async close() {
      await clients.close();
      await serving.close();
      await session.close();
    },
  };
}

/** A real client of one protocol generation. */
export function newClient(generation: ProtocolGeneration, { elicit }: ClientOptions = {}): Client {
  const client = new Client(
    { name: "test-client", version: "1.0.0" },
    {
      capabilities: elicit === undefined ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode: generation === "legacy" ? "legacy" : { pin: "2026-07-28" } },
    },
  );
  if (elicit !== undefined) client.setRequestHandler("elicitation/create", ({ params }) => elicit(params));
  return client;
}

async function connectHttp(
  endpoint: Pick<HttpEndpoint, "url" | "token">,
  generation: ProtocolGeneration,
  options?: ClientOptions,
): Promise<Client> {
  const client = newClient(generation, options);
  const headers = { authorization: `Bearer ${endpoint.token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(endpoint.url), { requestInit: { headers } }),
  );
  return client;
}

/** A tool that counts how often it ran. It asks, because it does not declare what it needs. */
export function countingTool(name = "deploy"): { readonly tool: Tool; readonly runs: unknown[] } {
  const runs: unknown[] = [];
  const tool = defineTool({
    name,
    description: "Puts a version where everybody sees it.",
    inputSchema: { type: "object", properties: { version: { type: "string" } }, required: ["version"] },
    requires: { capabilities: ["deploy.run"] },
    effects: ({ version }) => [{ capability: "deploy.run", target: String(version) }],
    mode: "external",
    execute(args) {
      runs.push(args);
      return `deployed ${args.version}`;
    },
  });
  return { tool: tool as Tool, runs };
}

/** The text of a result, all blocks together. */
export function textOf(result: { readonly content?: unknown }): string {
  const blocks = (result.content ?? []) as readonly { type: string; text?: string }[];
  return blocks.map(({ text = "" }) => text).join("\n");
}
