import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { bothGenerationsServer } from "../both-generations.test.kit.ts";
import { listening, type RunningServer, toListener } from "../http-server.test.kit.ts";

export interface OAuthServer extends RunningServer {
  /** What was asked for, e.g. `register`, `authorize`, `token authorization_code`. */
  readonly log: readonly string[];
  /** From now on the tokens that were given are worth nothing. */
  expire(): void;
  /** The same, and they cannot be renewed any more either. */
  forgetRenewals(): void;
}

export interface OAuthServerOptions {
  /** Put in the place of the page for the login. */
  readonly page?: string;
}

/** An MCP server that wants a login, with the login next to it. */
export async function oauthServer({ page }: OAuthServerOptions = {}): Promise<OAuthServer> {
  const log: string[] = [];
  const tokens = new Set<string>();
  let renewal = "renew";
  const challenges = new Map<string, string>();
  const mcp = toListener(createMcpHandler(() => bothGenerationsServer()));
  const server = await listening(async (request, response) => {
    const { origin, pathname, searchParams } = new URL(request.url ?? "", `http://${request.headers.host}`);
    const json = (body: object, status = 200) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (pathname === "/mcp") return isLetIn(request) ? mcp(request, response) : challenge(response, origin);
    if (pathname.startsWith("/.well-known/oauth-protected-resource"))
      return json({ resource: `${origin}/mcp`, authorization_servers: [origin] });
    if (pathname === "/.well-known/oauth-authorization-server") return json(metadata(origin, page));
    if (pathname === "/register") {
      log.push("register");
      return json({ ...JSON.parse(await bodyOf(request)), client_id: randomUUID() }, 201);
    }
    if (pathname === "/authorize") return authorize(searchParams, response);
    if (pathname === "/token") return token(new URLSearchParams(await bodyOf(request)), json);
    return response.writeHead(404).end();
  });
  const forgetRenewals = () => {
    tokens.clear();
    renewal = randomUUID();
  };
  return { ...server, log, expire: () => tokens.clear(), forgetRenewals };

  function isLetIn({ headers }: IncomingMessage): boolean {
    return tokens.has(headers.authorization?.replace(/^Bearer /, "") ?? "");
  }

  function authorize(params: URLSearchParams, response: ServerResponse): void {
    log.push("authorize");
    const code = randomUUID();
    challenges.set(code, params.get("code_challenge") ?? "");
    const back = new URL(params.get("redirect_uri") ?? "");
    back.searchParams.set("code", code);
    back.searchParams.set("state", params.get("state") ?? "");
    response.writeHead(302, { location: back.href }).end();
  }

  function token(params: URLSearchParams, json: (body: object, status?: number) => unknown): unknown {
    log.push(`token ${params.get("grant_type")}`);
    const challenge = challenges.get(params.get("code") ?? "");
    const proof = createHash("sha256")
      .update(params.get("code_verifier") ?? "")
      .digest("base64url");
    const isRenewal = params.get("grant_type") === "refresh_token" && params.get("refresh_token") === renewal;
    if (!isRenewal && challenge !== proof) return json({ error: "invalid_grant" }, 400);
    const accessToken = randomUUID();
    tokens.add(accessToken);
    return json({ access_token: accessToken, token_type: "Bearer", refresh_token: renewal });
  }
}

function challenge(response: ServerResponse, origin: string): void {
  const where = `${origin}/.well-known/oauth-protected-resource/mcp`;
  response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${where}"` }).end();
}

function metadata(origin: string, page: string | undefined) {
  return {
    issuer: origin,
    authorization_endpoint: page ?? `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
