import type { Connection } from "../connection/news/connection.ts";
import type { McpSource } from "../source/mcp-source.ts";

/** Something that a server lists. */
export interface Listed<Item> {
  readonly server: string;
  readonly item: Item;
}

/** What the servers of a source list, cached until it changes. A server that does not answer lists nothing. */
export class ServerLists<Item> {
  readonly #source: McpSource;
  readonly #hasAny: (connection: Connection) => boolean;
  readonly #list: (connection: Connection) => Promise<readonly Item[]>;
  readonly #known = new Map<string, Promise<readonly Item[]>>();

  constructor(
    source: McpSource,
    hasAny: (connection: Connection) => boolean,
    list: (connection: Connection) => Promise<readonly Item[]>,
  ) {
    this.#source = source;
    this.#hasAny = hasAny;
    this.#list = list;
  }

  /** In the order of the servers. */
  async all(): Promise<readonly Listed<Item>[]> {
    const lists = this.#source.servers.map(async ({ entry: { name: server } }) =>
      (await this.#of(server)).map((item) => ({ server, item })),
    );
    return (await Promise.all(lists)).flat();
  }

  forget(server: string): void {
    this.#known.delete(server);
  }

  #of(server: string): Promise<readonly Item[]> {
    const connection = this.#source.connection(server);
    if (connection?.status.state !== "ready" || !this.#hasAny(connection)) return Promise.resolve([]);
    const known = this.#known.get(server);
    if (known !== undefined) return known;
    const asked = this.#list(connection).catch(() => {
      this.#known.delete(server);
      return [];
    });
    this.#known.set(server, asked);
    return asked;
  }
}
