import type { FetchLike } from "@modelcontextprotocol/client";
import type { Sandbox } from "@toolkeep/core/ports";
import type { OAuthOptions } from "../oauth/oauth-options.ts";
import type { ServerSettings } from "../servers/server-entry.ts";
import type { EnvironmentValues } from "./scrubbed-environment.ts";

export interface ConnectOptions {
  readonly settings?: ServerSettings;
  /** The walls around a program whose settings ask for some. Without it such a program is not started. */
  readonly sandbox?: Sandbox;
  /** What PATH, HOME and the like are taken from. The environment of this process where it is left out. */
  readonly environment?: EnvironmentValues;
  /**
   * A folder of our own in which a program gets a fresh, empty one to start in, unless its entry names another or a
   * project brought it. The folder for temporary files where it is left out. It is made where it is missing.
   */
  readonly folder?: string;
  /** How to tell a server who we are. Left out: one that wants to know is refused. */
  readonly oauth?: OAuthOptions;
  /** What the server is told of us. */
  readonly clientInfo?: { readonly name: string; readonly version: string };
  /** How long to wait before each new attempt, the last one again and again. 1, 2, 5, 15, 60 seconds where left out. */
  readonly backoffMs?: readonly number[];
  /** How the network is reached; `fetch` of this process where it is left out. */
  readonly fetch?: FetchLike;
}
