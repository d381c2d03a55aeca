import type { IncomingMessage, ServerResponse } from "node:http";
import type { RefusedToken } from "@toolkeep/core/ports";
import type { Authentication } from "./authentication.ts";
import { pathOf, refuse } from "./http-guard.ts";
import { MCP_PATH } from "./listen-http.ts";

const WELL_KNOWN = "/.well-known/oauth-protected-resource";
const STATUS = { invalid: 401, forbidden: 403, unavailable: 503 } as const;
const RETRY_SECONDS = "30";

/** What clients are told of how to get a token: the metadata of RFC 9728, and the challenge of RFC 6750. */
export class ProtectedResource {
  readonly #authentication: Authentication;
  readonly #paths: ReadonlySet<string>;

  constructor(authentication: Authentication) {
    this.#authentication = authentication;
    const { resource } = authentication;
    const own = resource === undefined ? MCP_PATH : suffixOf(new URL(resource));
    this.#paths = new Set([WELL_KNOWN, `${WELL_KNOWN}${MCP_PATH}`, `${WELL_KNOWN}${own}`]);
  }

  /** Answers a request for the metadata, which needs no token. `false` if the request is for something else. */
  answers(req: IncomingMessage, res: ServerResponse): boolean {
    if (!this.#paths.has(pathOf(req))) return false;
    if (req.method !== "GET" && req.method !== "HEAD") {
      res.setHeader("allow", "GET, HEAD");
      refuse(res, 405, "This address can only be read.");
      return true;
    }
    const { issuers, scopes = [] } = this.#authentication;
    const metadata = {
      resource: this.#authentication.resource ?? this.#resource(req).href,
      authorization_servers: issuers,
      bearer_methods_supported: ["header"],
      resource_name: "Toolkeep gateway",
      ...(scopes.length === 0 ? {} : { scopes_supported: scopes }),
    };
    res.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" });
    res.end(req.method === "HEAD" ? undefined : JSON.stringify(metadata));
    return true;
  }

  /** Refuses a request, and says where a token can be had. */
  challenge(req: IncomingMessage, res: ServerResponse, refused?: RefusedToken): void {
    const status = STATUS[refused?.refused ?? "invalid"];
    if (status === 503) res.setHeader("retry-after", RETRY_SECONDS);
    else res.setHeader("www-authenticate", this.#header(req, refused));
    refuse(res, status, refused?.reason ?? "A bearer token is needed.");
  }

  #header(req: IncomingMessage, refused: RefusedToken | undefined): string {
    const resource = this.#resource(req);
    const { scopes = [] } = this.#authentication;
    const error = refused?.refused === "forbidden" ? "insufficient_scope" : "invalid_token";
    const said = [
      ["realm", "toolkeep"],
      ...(refused === undefined
        ? []
        : [
            ["error", error],
            ["error_description", refused.reason.replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'")],
          ]),
      ...(scopes.length === 0 ? [] : [["scope", scopes.join(" ")]]),
      ["resource_metadata", `${resource.origin}${WELL_KNOWN}${suffixOf(resource)}`],
    ];
    return `Bearer ${said.map(([name, value]) => `${name}="${value}"`).join(", ")}`;
  }

  /** The name in the `Host` header was checked before. */
  #resource({ headers }: IncomingMessage): URL {
    return new URL(this.#authentication.resource ?? `http://${headers.host}${MCP_PATH}`);
  }
}

/** The path of a resource, as it stands after the well-known one. */
function suffixOf({ pathname }: URL): string {
  return pathname === "/" ? "" : pathname;
}
