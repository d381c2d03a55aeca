/** What the user accepted of a server: how it is started, and the definition of each of its tools. */
export interface AcceptedServer {
  /** A hash of the command, its arguments and environment, or of the address and its headers. */
  readonly fingerprint: string;
  /** When, as ISO 8601. */
  readonly at: string;
  /** By the server's own names of its tools: a hash of name, title, description, schemas and annotations. */
  readonly tools: Readonly<Record<string, string>>;
}

/**
 * Port: remembers accepted servers. A server is identified by its name and by its owner, a project (its canonical
 * path) or the user (`""`). Whatever cannot be read or written rejects: a record is never treated as empty, and never
 * overwritten.
 */
export interface AcceptedServers {
  /** `undefined`: the server was never accepted. Must reject if that cannot be determined. */
  get(owner: string, name: string): Promise<AcceptedServer | undefined>;
  set(owner: string, name: string, accepted: AcceptedServer): Promise<void>;
  /**
   * Changes the record, and returns the new one. No other process changes it meanwhile, so `change` must be quick. It
   * receives the current record; if it returns `undefined`, the record stays as it is.
   */
  update(owner: string, name: string, change: ChangeAccepted): Promise<AcceptedServer | undefined>;
  delete(owner: string, name: string): Promise<void>;
}

export type ChangeAccepted = (accepted: AcceptedServer | undefined) => AcceptedServer | undefined;
