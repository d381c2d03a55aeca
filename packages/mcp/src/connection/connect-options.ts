import type { FetchLike } from "@modelcontextprotocol/client";
import type { Sandbox } from "@toolkeep/core/ports";
import type { ServerSettings } from "../servers/server-entry.ts";
import type { EnvironmentValues } from "./link/scrubbed-environment.ts";
import type { OAuthOptions } from "./oauth/oauth-options.ts";

export interface ConnectOptions {
  readonly settings?: ServerSettings;
  /** The sandbox for a program whose settings ask for one. Without it such a program is not started. */
  readonly sandbox?: Sandbox;
  /** Where PATH, HOME and the like come from. Default: the environment of this process. */
  readonly environment?: EnvironmentValues;
  /**
   * A directory in which a program gets a new, empty directory to start in, unless its entry names one or a project
   * configures it. Created if it is missing. Default: the directory for temporary files.
   */
  readonly folder?: string;
  /** How to log in. Without it a server that requires a login is refused. */
  readonly oauth?: OAuthOptions;
  /** The client information that the server receives. */
  readonly clientInfo?: { readonly name: string; readonly version: string };
  /** The waiting time before each new attempt; the last one repeats. Default: 1, 2, 5, 15, 60 seconds. */
  readonly backoffMs?: readonly number[];
  /** The function that sends requests. Default: `fetch` of this process. */
  readonly fetch?: FetchLike;
}
