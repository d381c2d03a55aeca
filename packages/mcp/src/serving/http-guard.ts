import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { validateHostHeader } from "@modelcontextprotocol/server";

/** Which requests are accepted. */
export interface GuardOptions {
  readonly token: string;
  /** Names allowed in the `Host` header, without ports. */
  readonly hosts: readonly string[];
  /** Origins that browsers may send requests from. */
  readonly origins: readonly string[];
  readonly path: string;
}

/**
 * Accepts a request, or answers it with an error. An unknown host name may be a page that has bound our address to its
 * own name (DNS rebinding); an origin that is not listed is a foreign page: both are refused before anything is read.
 */
export function httpGuard(options: GuardOptions): (req: IncomingMessage, res: ServerResponse) => boolean {
  const { token, hosts, origins, path } = options;
  return (req, res) => {
    if (!HOST.test(req.headers.host ?? "")) return refuse(res, 403, "The Host header is not a plain name.");
    const host = validateHostHeader(req.headers.host, [...hosts]);
    if (!host.ok) return refuse(res, 403, host.message);
    const { origin } = req.headers;
    if (origin !== undefined) {
      if (!origins.includes(origin)) return refuse(res, 403, "This origin is not allowed.");
      allowOrigin(res, origin);
      if (req.method === "OPTIONS") return answerPreflight(res);
    }
    if (req.url?.split("?", 1)[0] !== path) return refuse(res, 404, `Not found. MCP is served at ${path}.`);
    if (isBearer(req.headers.authorization, token)) return true;
    const isWrong = req.headers.authorization !== undefined;
    res.setHeader("www-authenticate", `Bearer realm="toolkeep"${isWrong ? ', error="invalid_token"' : ""}`);
    return refuse(res, 401, "The bearer token is missing or wrong.");
  };
}

/** A name or an address, with an optional port: nothing ambiguous. */
const HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/i;

/** Compares hashes, so that timing reveals nothing about the token, not even its length. */
function isBearer(header: string | undefined, token: string): boolean {
  const given = /^Bearer +(\S+)$/i.exec(header ?? "")?.[1] ?? "";
  return timingSafeEqual(hashOf(given), hashOf(token));
}

function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function refuse(res: ServerResponse, status: number, message: string): false {
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
