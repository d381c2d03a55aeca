import { timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ToolFailure } from "@toolkeep/core";

/** The loopback server that the user's browser is redirected to after a login. */
export interface CallbackServer {
  readonly url: string;
  /** What the browser brings back for this login. Closes the server. @throws ToolFailure `denied` if it is late. */
  wait(state: string, withinMs: number): Promise<URLSearchParams>;
  /** Stops waiting. Safe to call twice. */
  close(): void;
}

const PATH = "/callback";
const HOST = "127.0.0.1";

/** Listens on the first free port of the list, or on any free port. */
export async function callbackServer(ports: readonly number[]): Promise<CallbackServer> {
  const server = createServer();
  const port = await listen(server, ports);
  server.unref();
  const taken = Promise.withResolvers<URLSearchParams>();
  let expected: string | undefined;
  server.on("request", (request, response) => {
    const params = callbackOf(request, port, expected);
    answer(response, params !== undefined);
    if (params !== undefined) taken.resolve(params);
  });
  let timer: NodeJS.Timeout | undefined;
  const close = () => {
    clearTimeout(timer);
    server.close();
    server.closeAllConnections();
    taken.reject(new ToolFailure("denied", "The login was cancelled."));
  };
  taken.promise.catch(() => {});
  return {
    url: `http://${HOST}:${port}${PATH}`,
    close,
    async wait(state, withinMs) {
      expected = state;
      server.ref();
      timer = setTimeout(() => taken.reject(loginTimedOut()), withinMs);
      try {
        return await taken.promise;
      } finally {
        close();
      }
    },
  };
}

async function listen(server: Server, ports: readonly number[]): Promise<number> {
  for (const port of [...ports, 0]) {
    try {
      server.listen(port, HOST);
      await once(server, "listening");
      return (server.address() as AddressInfo).port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    }
  }
  throw new ToolFailure("denied", "No free port is available for the login callback.");
}

/** Accepts only the answer to this login: any program on the machine and any web page can send requests here. */
function callbackOf({ method, url, headers }: IncomingMessage, port: number, expected: string | undefined) {
  if (method !== "GET" || expected === undefined || headers.host !== `${HOST}:${port}`) return undefined;
  const target = URL.canParse(url ?? "", `http://${HOST}`) ? new URL(url ?? "", `http://${HOST}`) : undefined;
  if (target?.pathname !== PATH) return undefined;
  return isSame(target.searchParams.get("state") ?? "", expected) ? target.searchParams : undefined;
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function answer(response: ServerResponse, isTaken: boolean): void {
  response.writeHead(isTaken ? 200 : 400, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    connection: "close",
  });
  response.end(
    isTaken ? page("Login complete.", "You may close this page.") : page("This is not a login.", ""),
  );
}

function page(title: string, text: string): string {
  return `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1><p>${text}</p></html>`;
}

function loginTimedOut(): ToolFailure {
  return new ToolFailure("denied", "The login was not finished in time.", {
    hint: "Connect again to retry.",
  });
}
