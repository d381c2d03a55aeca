import type { LoggingLevel } from "@modelcontextprotocol/server";
import type { Connection, ConnectionNews } from "../connection/connection.ts";
import type { McpSource } from "../source/mcp-source.ts";

/** What the servers of a source say without being asked, all together. */
export class RelayedNews {
  readonly #source: Pick<McpSource, "servers" | "connection">;
  readonly #tell: (news: ConnectionNews) => void;
  readonly #received = new Set<Connection>();
  #level: LoggingLevel | undefined;

  constructor(source: Pick<McpSource, "servers" | "connection">, tell: (news: ConnectionNews) => void) {
    this.#source = source;
    this.#tell = tell;
  }

  /** The least that is wanted of the logs of all servers, also of those that come later. */
  want(level: LoggingLevel | undefined): void {
    this.#level = level;
    for (const connection of this.#received) connection.logLevel = level;
  }

  /** To be called when servers may have come. */
  update(): void {
    for (const { entry } of this.#source.servers) {
      const connection = this.#source.connection(entry.name);
      if (connection === undefined || this.#received.has(connection)) continue;
      this.#received.add(connection);
      connection.logLevel = this.#level;
      connection.listen((news) => this.#tell(news));
    }
  }
}
