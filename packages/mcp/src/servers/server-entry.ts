/** A server as a configuration file or the embedder's code names it. Nothing in it is expanded yet. */
export type ServerEntry = StdioServer | HttpServer;

interface NamedServer {
  /** 1 to 64 letters, digits, `_` and `-`; unique among the servers that are used together. */
  readonly name: string;
  /** Which file names it; missing for one that code names. */
  readonly file?: string;
  /** Whether a project brought it: then it is not started before somebody accepted it. */
  readonly isOfProject: boolean;
}

/** A program that is started, and spoken to over its standard streams. */
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

/** What the user decides about one server, beside how it is started. */
export interface ServerSettings {
  /** Which effect map tells what its tools do; `false` for none, whatever it looks like. */
  readonly map?: string | false;
  /** Files its mapped tools may touch beside the workspace, as patterns. */
  readonly files?: readonly string[];
  /** Walls around a program that is started: what it may read, change and reach. Left out: no walls. */
  readonly sandbox?: {
    readonly read?: readonly string[];
    readonly write?: readonly string[];
    readonly hosts?: readonly string[] | "any";
  };
  /** Lets it be reached over plain http, which anybody on the way can read and change. Loopback needs no leave. */
  readonly plainHttp?: boolean;
  /** What its results carry is private, so that it must not leave the machine unasked. */
  readonly isPrivate?: boolean;
  /** How long one call may take without a sign of life; 30 seconds where it is left out. */
  readonly timeoutMs?: number;
  /** How long one call may take at most, whatever progress it reports; 10 minutes where it is left out. */
  readonly longestMs?: number;
}
