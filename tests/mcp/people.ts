import { type Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createSession, type Rule, type Session } from "@toolkeep/core";
import { compilePolicy } from "@toolkeep/core/policy";
import { authenticationOf } from "../../packages/cli/src/project/identity/authentication.ts";
import type { IdentitySettings } from "../../packages/cli/src/project/identity/identity-settings.ts";
import { openIssuer, type TestIssuer } from "../../packages/cli/src/project/identity/issuer.test.kit.ts";
import { listedFor } from "../../packages/cli/src/run/gateway/start-gateway.ts";
import type { GatewayOptions } from "../../packages/mcp/src/gateway/gateway.ts";
import { openGateway } from "../../packages/mcp/src/gateway/open-gateway.ts";
import { memoryAcceptedServers } from "../../packages/mcp/src/servers/memory-accepted-servers.ts";
import { type ClientOptions, newClient, type ProtocolGeneration } from "./served.ts";

/** Everybody may look; only `release` sees `deploy`, and is asked. */
const RULES = [
  { permission: "mcp:shop:stock", action: "allow" },
  { permission: "mcp:shop:hang", action: "allow" },
  { permission: "mcp:shop:deploy", action: "ask" },
  { permission: "mcp:shop:deploy", action: "deny", if: ["not group release"] },
] as const;

/** Who a client is for, and with which token it comes from now on. */
interface ConnectedPerson {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  /** The next requests have this token. */
  use(token: string): void;
}

export interface PeopleBench {
  readonly issuer: TestIssuer;
  readonly url: string;
  readonly notes: string[];
  /** By user. The gateway's own is under "". */
  readonly sessions: Map<string, Session>;
  connect(token: string, generation: ProtocolGeneration, options?: ClientOptions): Promise<ConnectedPerson>;
  /** A request as any program could send it. */
  send(token: string | undefined, more?: RequestInit & { readonly path?: string }): Promise<Response>;
  close(): Promise<void>;
}

export interface PeopleOptions extends Pick<GatewayOptions, "servers"> {
  readonly gateway?: Partial<GatewayOptions>;
  /** Default: those of a shop. */
  readonly rules?: readonly Rule[];
  readonly settings?: Partial<IdentitySettings>;
  readonly resource?: string;
}

/** A gateway for people, an issuer for their tokens, and real clients. */
export async function openPeople({
  servers,
  gateway: more,
  rules = RULES,
  settings,
  resource,
}: PeopleOptions): Promise<PeopleBench> {
  const issuer = await openIssuer();
  const notes: string[] = [];
  const sessions = new Map<string, Session>();
  const policy = compilePolicy({ rules: [...rules], builtIn: "off" });
  const gateway = await openGateway({
    servers,
    accepted: memoryAcceptedServers(),
    onNote: (note) => notes.push(note),
    isListed: listedFor({ policy: policy.definition }),
    async open({ registry, approver, person }) {
      const { principal = {} } = person ?? {};
      const session = await createSession({ registry, approver, policy, principal });
      sessions.set(principal.user ?? "", session);
      return session;
    },
    ...more,
  });
  await gateway.started;
  const authentication = authenticationOf({
    settings: { ...issuer.settings, ...settings },
    place: {},
    ...(resource === undefined ? {} : { resource }),
  });
  const { url } = await gateway.servePeople({ authentication });
  const clients: Client[] = [];
  return {
    issuer,
    url,
    notes,
    sessions,
    async connect(first, generation, options) {
      let token = first;
      const client = newClient(generation, options);
      const transport = new StreamableHTTPClientTransport(new URL(url), {
        fetch: (address, init) => {
          const headers = new Headers(init?.headers);
          headers.set("authorization", `Bearer ${token}`);
          return fetch(address, { ...init, headers });
        },
      });
      await client.connect(transport);
      clients.push(client);
      return {
        client,
        transport,
        use: (next) => {
          token = next;
        },
      };
    },
    send: (token, { path = "/mcp", headers, ...init } = {}) =>
      fetch(new URL(path, url), {
        method: "POST",
        body: JSON.stringify(INITIALIZE),
        ...init,
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(headers as Record<string, string> | undefined),
        },
      }),
    async close() {
      await Promise.all(clients.map((client) => client.close().catch(() => {})));
      await gateway.close();
      await issuer.close();
    },
  };
}

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

export const LIST = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" });

/** Everything that a session has written down. */
export async function journalText(session: Session | undefined): Promise<string> {
  const events: unknown[] = [];
  if (session !== undefined) for await (const event of session.journal.read({})) events.push(event);
  return JSON.stringify(events);
}
