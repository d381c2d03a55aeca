import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { hostHeaderValidation } from "@modelcontextprotocol/node";

/** Who may come in. */
export interface GuardOptions {
  readonly token: string;
  /** Names that the `Host` header may hold, without ports. */
  readonly hosts: readonly string[];
  /** Origins that browsers may come from. */
  readonly origins: readonly string[];
  readonly path: string;
}

/**
 * Lets a request in, or answers it. A name that is not ours may be a page that has our address under a name of its
 * own; an origin that is not listed is a page of somebody else: both are refused before anything is read.
 */
export function httpGuard(options: GuardOptions): (req: IncomingMessage, res: ServerResponse) => boolean {
  const { token, hosts, origins, path } = options;
  const isHostAllowed = hostHeaderValidation([...hosts]);
  return (req, res) => {
    if (!HOST.test(req.headers.host ?? "")) return refuse(res, 403, "The Host header is no plain name.");
    if (!isHostAllowed(req, res)) return false;
    const { origin } = req.headers;
    if (origin !== undefined) {
      if (!origins.includes(origin)) return refuse(res, 403, "This origin may not come here.");
      allowOrigin(res, origin);
      if (req.method === "OPTIONS") return answerPreflight(res);
    }
    if (req.url?.split("?", 1)[0] !== path)
      return refuse(res, 404, `There is nothing here. MCP is served at ${path}.`);
    if (isBearer(req.headers.authorization, token)) return true;
    const isWrong = req.headers.authorization !== undefined;
    res.setHeader("www-authenticate", `Bearer realm="toolkeep"${isWrong ? ', error="invalid_token"' : ""}`);
    return refuse(res, 401, "The bearer token is missing or wrong.");
  };
}

/** A name or an address, perhaps a port: nothing that could be read in two ways. */
const HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/i;

/** Compares hashes, so that the time it takes tells nothing of the token, not even its length. */
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
