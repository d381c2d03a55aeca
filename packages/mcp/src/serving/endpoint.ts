/** An MCP server on the standard streams of this process. */
export interface StdioEndpoint {
  /** Resolves when the client has gone. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** An MCP server on loopback, for whoever has the token. */
export interface HttpEndpoint {
  readonly url: string;
  /** What a client must send as `Authorization: Bearer …`. */
  readonly token: string;
  close(): Promise<void>;
}

export interface HttpEndpointOptions {
  /** 0, a free one, where it is left out. */
  readonly port?: number;
  /** An address of this machine; `127.0.0.1` where it is left out. */
  readonly address?: string;
  /** Made up where it is left out. At least 32 characters. */
  readonly token?: string;
  /** Names that the `Host` header may hold beside those of loopback. */
  readonly hosts?: readonly string[];
  /** Origins that browsers may come from, e.g. `http://localhost:6274`. None where it is left out. */
  readonly origins?: readonly string[];
}
