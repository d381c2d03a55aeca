import type { Authentication } from "./authentication.ts";

/** An MCP server on the standard streams of this process. */
export interface StdioEndpoint {
  /** Resolves when the client has disconnected. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** An MCP server on loopback, for clients that have the token. */
export interface HttpEndpoint {
  readonly url: string;
  /** What a client must send as `Authorization: Bearer …`. */
  readonly token: string;
  close(): Promise<void>;
}

/** Options of `serveHttp`. */
export interface HttpEndpointOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  /** An address of this machine. Default `127.0.0.1`. */
  readonly address?: string;
  /** At least 32 characters. Default: a random one. */
  readonly token?: string;
  /** Names allowed in the `Host` header in addition to those of loopback. */
  readonly hosts?: readonly string[];
  /** Origins that browsers may send requests from, e.g. `http://localhost:6274`. Default: none. */
  readonly origins?: readonly string[];
}

/** An MCP server for people who log in elsewhere. */
export interface PeopleEndpoint {
  readonly url: string;
  close(): Promise<void>;
}

/** Options of `servePeople`. */
export interface PeopleEndpointOptions extends Omit<HttpEndpointOptions, "token"> {
  readonly authentication: Authentication;
}
