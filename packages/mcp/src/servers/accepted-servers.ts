/** What somebody accepted of a server: how it is started, and what each of its tools says of itself. */
export interface AcceptedServer {
  /** A hash of the command, its arguments and environment, or of the address and its headers. */
  readonly fingerprint: string;
  /** When, as ISO 8601. */
  readonly at: string;
  /** By the server's own names of its tools, a hash of name, title, description, schemas and annotations. */
  readonly tools: Readonly<Record<string, string>>;
}

/**
 * Port: remembers accepted servers. A server is known by its name and by who names it, a project (its canonical
 * path) or the user (`""`). Whatever cannot be read or written rejects: what was remembered is never taken for nothing,
 * and never written over.
 */
export interface AcceptedServers {
  /** `undefined`: the server was never accepted. Must reject where it cannot tell. */
  get(owner: string, name: string): Promise<AcceptedServer | undefined>;
  set(owner: string, name: string, accepted: AcceptedServer): Promise<void>;
  /**
   * Makes something else of what is known, and gives that. Nobody else, in any process, changes it meanwhile; so
   * `change` must be quick. It is given what is known now; if it gives `undefined`, that stays as it is.
   */
  update(owner: string, name: string, change: ChangeAccepted): Promise<AcceptedServer | undefined>;
  delete(owner: string, name: string): Promise<void>;
}

export type ChangeAccepted = (accepted: AcceptedServer | undefined) => AcceptedServer | undefined;
