import { randomBytes } from "node:crypto";
import { ToolkeepError } from "@toolkeep/core";
import type { HttpEndpoint, HttpEndpointOptions } from "./endpoint.ts";
import { HttpClients, type HttpParts } from "./http-clients.ts";
import { hostGuard, pathGuard, tokenGuard } from "./http-guard.ts";
import { hostNames, isLoopback, listenHttp, MCP_PATH } from "./listen-http.ts";

const SHORTEST_TOKEN = 32;
const MOST_SESSIONS = 100;

/**
 * Serves one session to everybody who has the token.
 * @throws ToolkeepError `invalid_option` for an address beyond this machine without a token and its own host names.
 */
export async function serveHttp(parts: HttpParts, options: HttpEndpointOptions = {}): Promise<HttpEndpoint> {
  const { address = "127.0.0.1", port = 0, origins = [] } = options;
  const token = tokenFor(address, options);
  const guards = [
    hostGuard({ hosts: hostNames(address, options), origins }),
    pathGuard(MCP_PATH),
    tokenGuard(token),
  ];
  const clients = new HttpClients(parts, { mostSessions: MOST_SESSIONS });
  const server = await listenHttp({
    address,
    port,
    onError: (error) => parts.onNote(`HTTP: ${error.message}`),
    async handle(req, res, letIn) {
      if (!guards.every((guard) => guard(req, res))) return;
      letIn();
      await clients.answer(req, res);
    },
  });
  return {
    url: `${server.origin}${MCP_PATH}`,
    token,
    close: () => server.close(() => clients.close()),
  };
}

function tokenFor(address: string, { token }: HttpEndpointOptions): string {
  if (token !== undefined && token.length < SHORTEST_TOKEN)
    throw new ToolkeepError("invalid_option", `\`token\` needs at least ${SHORTEST_TOKEN} characters.`);
  if (!isLoopback(address) && token === undefined)
    throw new ToolkeepError(
      "invalid_option",
      `The address ${JSON.stringify(address)} can be reached from other machines. Set \`token\`, and set \`hosts\` to the names that clients use for it.`,
    );
  return token ?? randomBytes(32).toString("base64url");
}
