import type { TokenStore } from "./token-store.ts";

/** How a server learns on whose behalf we come. */
export interface OAuthOptions {
  /** Where logins are kept; for as long as the process lives where it is left out. */
  readonly store?: TokenStore;
  /**
   * Shows the person the host that a browser would be sent to, and asks for leave. Left out: nobody is there, and
   * a server that needs a login is refused.
   */
  confirm?(host: string, server: string): Promise<boolean>;
  /** Opens a page for the person; the system's browser, without a shell, where it is left out. */
  open?(page: URL): Promise<void>;
  /** What to run for a login, as it is told where nobody is there, e.g. `toolkeep mcp login github`. */
  readonly command?: string;
  readonly client?: OAuthClient;
}

/** Whom the server knows us as. Left out: we register ourselves, where the server lets us. */
export interface OAuthClient {
  /** Shown to the person by the server. */
  readonly name?: string;
  /** Registered beforehand. */
  readonly id?: string;
  /** Given to nobody but the `issuer`, which must be named with it. */
  readonly secret?: string;
  /** Where the client was registered: the address of the login's own server, as its metadata has it. */
  readonly issuer?: string;
  /** The https address of a document that describes us, for servers that take one instead of a registration. */
  readonly metadataUrl?: string;
  /** The port that the browser comes back to, where it was registered beforehand. A free one where it is left out. */
  readonly callbackPort?: number;
  readonly scope?: string;
}
