/** What somebody accepted of a server: how it is started, and what each of its tools says of itself. */
export interface KnownServer {
  /** A hash of the command, its arguments and environment, or of the address and its headers. */
  readonly fingerprint: string;
  /** When, as ISO 8601. */
  readonly at: string;
  /** By the server's own names of its tools, a hash of name, title, description, schemas and annotations. */
  readonly tools: Readonly<Record<string, string>>;
}

/**
 * Port: remembers accepted servers. A server is known by its name and by who names it, a project (its canonical
 * path) or the user (`""`).
 */
export interface KnownServers {
  /** Must answer `undefined` wherever it cannot tell. */
  get(owner: string, name: string): Promise<KnownServer | undefined>;
  set(owner: string, name: string, known: KnownServer): Promise<void>;
  delete(owner: string, name: string): Promise<void>;
}
