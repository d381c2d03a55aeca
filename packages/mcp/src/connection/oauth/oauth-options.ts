import type { Approver } from "@toolkeep/core";
import type { TokenStore } from "./token-store.ts";

/** How to log in to servers that require it. */
export interface OAuthOptions {
  /** Where logins are stored. Default: in memory, for the lifetime of the process. */
  readonly store?: TokenStore;
  /**
   * Shows the user the host that the browser will be sent to, and asks for permission. Without it, `approver` and
   * `inCalls`, no user is available, and a server that requires a login is refused.
   */
  confirm?(host: string, server: string): Promise<boolean>;
  /** Is asked the same as a question, while servers are connected. Give the approver of the session. */
  readonly approver?: Approver;
  /**
   * A call of a server that requires a login asks the user of its session, as with any question of a tool, and continues
   * after the login. Only for users of this machine, because the browser opens here. Default: `false`.
   */
  readonly inCalls?: boolean;
  /** Opens a page for the user. Default: the system's browser, started without a shell. */
  open?(page: URL): Promise<void>;
  /** The command to run for a login, shown if no user is available, e.g. `toolkeep mcp login github`. */
  readonly command?: string;
  readonly client?: OAuthClient;
}

/** The OAuth client to use. Default: register a client, if the server supports it. */
export interface OAuthClient {
  /** Shown to the user by the server. */
  readonly name?: string;
  /** Preregistered. */
  readonly id?: string;
  /** Sent only to the `issuer`, which is required with it. */
  readonly secret?: string;
  /** Where the client is registered: the address of the authorization server, as in its metadata. */
  readonly issuer?: string;
  /** The https address of a client metadata document, for servers that accept one instead of a registration. */
  readonly metadataUrl?: string;
  /** The callback port, if the registration names one. Default: any free port. */
  readonly callbackPort?: number;
  readonly scope?: string;
}
