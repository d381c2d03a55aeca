import type { IncomingMessage, ServerResponse } from "node:http";
import type { Person } from "@toolkeep/core/ports";
import type { Authentication } from "./authentication.ts";
import type { PeopleEndpoint, PeopleEndpointOptions } from "./endpoint.ts";
import { bearerOf, hostGuard, pathGuard, refuse } from "./http-guard.ts";
import { HttpPeople, type HttpPeopleOptions } from "./http-people.ts";
import { hostNames, listenHttp, MCP_PATH } from "./listen-http.ts";
import { ProtectedResource } from "./protected-resource.ts";

/** A header of Node has no more than 16 KB, all lines together. */
const LONGEST_TOKEN = 16 * 1024;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const UNAVAILABLE = { refused: "unavailable", reason: "The token cannot be verified now." } as const;

/**
 * Serves people who are who their tokens say, each in a session of their own. Every request is verified: a session of
 * the protocol belongs to the person who began it, and no other finds it.
 * @throws ToolkeepError `invalid_option` for an address beyond this machine without its own host names.
 */
export async function servePeople(
  opening: HttpPeopleOptions,
  options: PeopleEndpointOptions,
): Promise<PeopleEndpoint> {
  const { address = "127.0.0.1", port = 0, origins = [], authentication } = options;
  const { resource } = authentication;
  const named = resource === undefined ? [] : [new URL(resource).hostname];
  const hosts = hostNames(address, { hosts: [...(options.hosts ?? []), ...named] });
  const isFromHere = hostGuard({ hosts, origins });
  const isForMcp = pathGuard(MCP_PATH);
  const protectedResource = new ProtectedResource(authentication);
  const people = new HttpPeople(opening);
  const server = await listenHttp({
    address,
    port,
    onError: (error) => opening.onNote(`HTTP: ${error.message}`),
    async handle(req, res, letIn) {
      if (!isFromHere(req, res) || protectedResource.answers(req, res) || !isForMcp(req, res)) return;
      const token = bearerOf(req);
      if (token === undefined) return protectedResource.challenge(req, res);
      const person = await personOf(token, authentication, opening.onNote);
      if ("refused" in person) return protectedResource.challenge(req, res, person);
      letIn();
      await answer(req, res, { person, people });
    },
  });
  return {
    url: `${server.origin}${MCP_PATH}`,
    close: () => server.close(() => people.close()),
  };
}

async function personOf(
  token: string,
  authentication: Authentication,
  onNote: (note: string) => void,
): ReturnType<Authentication["authenticate"]> {
  if (token.length > LONGEST_TOKEN) return { refused: "invalid", reason: "The token is too long." };
  try {
    return await authentication.authenticate(token);
  } catch {
    // What it threw may contain the token.
    onNote("A token could not be verified because of an internal error.");
    return UNAVAILABLE;
  }
}

interface Asked {
  readonly person: Person;
  readonly people: HttpPeople;
}

async function answer(req: IncomingMessage, res: ServerResponse, { person, people }: Asked): Promise<void> {
  try {
    const why = await people.with(person, (clients) => {
      endWithToken(req, res, person);
      return clients.answer(req, res);
    });
    if (why === undefined) return;
    res.setHeader("retry-after", "30");
    refuse(res, 429, why);
  } catch (error) {
    if (!res.headersSent) refuse(res, 503, "Your session cannot be opened now.");
    throw error;
  }
}

/** What listens for longer than its token is valid has to come back with another one. A call is not interrupted. */
function endWithToken(req: IncomingMessage, res: ServerResponse, { expiresAt }: Person): void {
  const isListening = req.method === "GET" || req.headers["mcp-method"] === "subscriptions/listen";
  if (!isListening || expiresAt === undefined) return;
  const left = Math.min(Math.max(expiresAt - Date.now(), 0), LONGEST_TIMER_MS);
  const timer = setTimeout(() => res.destroy(), left);
  timer.unref();
  res.once("close", () => clearTimeout(timer));
}
