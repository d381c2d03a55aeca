import { invalidOption } from "@toolkeep/core/internal";
import type { HttpServer, ServerEntry, StdioServer } from "../servers/server-entry.ts";
import type { ConnectOptions } from "./connect-options.ts";
import { HttpLink } from "./link/http-link.ts";
import type { Link } from "./link/link.ts";
import { programOf } from "./link/program-of.ts";
import { serverAddress } from "./link/server-address.ts";
import { startServerProcess } from "./link/server-process.ts";
import { StdioLink } from "./link/stdio-link.ts";
import { authorizationOf } from "./oauth/authorization-of.ts";
import type { LoginUsers } from "./oauth/login-user.ts";

/** Creates a new link to a server for each connection attempt. */
export function linkMaker(
  entry: ServerEntry,
  options: ConnectOptions,
  users: LoginUsers,
): () => Promise<Link> {
  return entry.kind === "stdio" ? stdioLinks(entry, options) : httpLinks(entry, options, users);
}

function stdioLinks(entry: StdioServer, options: ConnectOptions): () => Promise<Link> {
  const { settings, sandbox, environment = process.env, folder } = options;
  return async () =>
    new StdioLink(async () =>
      startServerProcess(
        await programOf({ entry, profile: settings?.sandbox, sandbox, environment, folder }),
      ),
    );
}

function httpLinks(
  entry: HttpServer,
  { settings, oauth, fetch = globalThis.fetch }: ConnectOptions,
  users: LoginUsers,
) {
  const { secret, issuer } = oauth?.client ?? {};
  if (secret !== undefined && issuer === undefined)
    throw invalidOption(
      "The OAuth client has a secret but no `issuer`. Set `issuer` to the server it is registered with, so that the secret is sent to no other.",
    );
  let authorization: ReturnType<typeof authorizationOf> | undefined;
  return async () => {
    const url = serverAddress(entry.url, settings?.plainHttp === true);
    if (oauth !== undefined) authorization ??= authorizationOf(entry.name, url, oauth, users);
    return new HttpLink({ url, headers: entry.headers, fetch, authorization });
  };
}
