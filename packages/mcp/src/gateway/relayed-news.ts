import type { LoggingLevel } from "@modelcontextprotocol/server";
import type { Connection, ConnectionNews } from "../connection/news/connection.ts";
import type { McpSource } from "../source/mcp-source.ts";

/** The notifications of all servers of a source, merged. */
export class RelayedNews {
  readonly #source: Pick<McpSource, "servers" | "connection">;
  readonly #tell: (news: ConnectionNews) => void;
  readonly #received = new Set<Connection>();
  #level: LoggingLevel | undefined;

  constructor(source: Pick<McpSource, "servers" | "connection">, tell: (news: ConnectionNews) => void) {
    this.#source = source;
    this.#tell = tell;
  }

  /** The lowest log level wanted from all servers, including those that are added later. */
  want(level: LoggingLevel | undefined): void {
    this.#level = level;
    for (const connection of this.#received) connection.logLevel = level;
  }

  /** Call it when servers may have been added. */
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
