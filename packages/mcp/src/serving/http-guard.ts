import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { validateHostHeader } from "@modelcontextprotocol/server";

/** Accepts a request, or answers it with an error. */
export type HttpGuard = (req: IncomingMessage, res: ServerResponse) => boolean;

/** Which requests are accepted, before their senders are known. */
export interface HostGuardOptions {
  /** Names allowed in the `Host` header, without ports. */
  readonly hosts: readonly string[];
  /** Origins that browsers may send requests from. */
  readonly origins: readonly string[];
}

/**
 * An unknown host name may be a page that has bound our address to its own name (DNS rebinding); an origin that is not
 * listed is a foreign page: both are refused before anything is read.
 */
export function hostGuard({ hosts, origins }: HostGuardOptions): HttpGuard {
  return (req, res) => {
    if (!HOST.test(req.headers.host ?? "")) return refuse(res, 403, "The Host header is not a plain name.");
    const host = validateHostHeader(req.headers.host, [...hosts]);
    if (!host.ok) return refuse(res, 403, host.message);
    const { origin } = req.headers;
    if (origin === undefined) return true;
    if (!origins.includes(origin)) return refuse(res, 403, "This origin is not allowed.");
    allowOrigin(res, origin);
    return req.method === "OPTIONS" ? answerPreflight(res) : true;
  };
}

/** Accepts the requests that have the one token. */
export function tokenGuard(token: string): HttpGuard {
  return (req, res) => {
    if (isSame(bearerOf(req) ?? "", token)) return true;
    const isWrong = req.headers.authorization !== undefined;
    res.setHeader("www-authenticate", `Bearer realm="toolkeep"${isWrong ? ', error="invalid_token"' : ""}`);
    return refuse(res, 401, "The bearer token is missing or wrong.");
  };
}

/** Accepts the requests for one path. */
export function pathGuard(path: string): HttpGuard {
  return (req, res) =>
    pathOf(req) === path ? true : refuse(res, 404, `Not found. MCP is served at ${path}.`);
}

export function pathOf({ url = "/" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? "/";
}

/** The token that a request has in its header. One in the address is none: addresses are logged. */
export function bearerOf({ headers }: IncomingMessage): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
}

/** A name or an address, with an optional port: nothing ambiguous. */
const HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/i;

/** Compares hashes, so that timing reveals nothing about the token, not even its length. */
function isSame(given: string, token: string): boolean {
  return timingSafeEqual(hashOf(given), hashOf(token));
}

function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Answers a request with an error, and closes its connection. */
export function refuse(res: ServerResponse, status: number, message: string): false {
  const body = JSON.stringify({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null });
  res.writeHead(status, { "content-type": "application/json", connection: "close" }).end(body);
  return false;
}

function allowOrigin(res: ServerResponse, origin: string): void {
  res.setHeader("access-control-allow-origin", origin);
  res.setHeader("vary", "origin");
  res.setHeader("access-control-expose-headers", "mcp-session-id, www-authenticate");
}

function answerPreflight(res: ServerResponse): false {
  res
    .writeHead(204, {
      "access-control-allow-methods": "GET, POST, DELETE",
      "access-control-allow-headers":
        "authorization, content-type, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, last-event-id",
      "access-control-max-age": "600",
    })
    .end();
  return false;
}
