/** A server as a configuration file or the host application's code defines it. Nothing in it is expanded yet. */
export type ServerEntry = StdioServer | HttpServer;

interface NamedServer {
  /** 1 to 64 letters, digits, `_` and `-`; unique among the servers that are used together. */
  readonly name: string;
  /** The file that configures it; missing for one defined in code. */
  readonly file?: string;
  /** Whether a project configures it: then it is not started until the user accepts it. */
  readonly isOfProject: boolean;
}

/** A program that is started, with JSON-RPC over its standard streams. */
export interface StdioServer extends NamedServer {
  readonly kind: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A server that is reached over streamable HTTP. */
export interface HttpServer extends NamedServer {
  readonly kind: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The user's settings for one server. */
export interface ServerSettings {
  /** The effect map for its tools; `false` for none, even if one matches. */
  readonly map?: string | false;
  /** Files its mapped tools may access in addition to the workspace, as patterns. */
  readonly files?: readonly string[];
  /** The sandbox for its program: what it may read, write and reach. Default: no sandbox. */
  readonly sandbox?: {
    readonly read?: readonly string[];
    readonly write?: readonly string[];
    readonly hosts?: readonly string[] | "any";
  };
  /** Allows plain http, which can be read and changed in transit. Loopback needs no permission. */
  readonly plainHttp?: boolean;
  /** Marks its results as private, so that they must not leave the machine without approval. */
  readonly isPrivate?: boolean;
  /** How long one call may take without a message from the server. Default: 30 seconds. */
  readonly timeoutMs?: number;
  /** How long one call may take in total, whatever progress it reports. Default: 10 minutes. */
  readonly longestMs?: number;
}
