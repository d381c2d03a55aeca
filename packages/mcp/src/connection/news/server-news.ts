import type { Client, LoggingLevel } from "@modelcontextprotocol/client";
import { ToolFailure } from "@toolkeep/core";
import type { ServerEntry } from "../../servers/server-entry.ts";
import { ChangeStream } from "./change-stream.ts";
import type { ConnectionNews } from "./connection.ts";
import type { ListChange } from "./list-changes.ts";
import { isLoud, serverLog } from "./server-log.ts";

const MOST_WATCHED = 1_000;

/** Receives a server's notifications, and subscribes to those that are wanted, across reconnects. */
export class ServerNews {
  readonly #name: string;
  readonly #read: ReturnType<typeof serverLog>;
  readonly #changed: (change: ListChange) => void;
  readonly #listeners = new Set<(news: ConnectionNews) => void>();
  /** How many listeners want changes of a resource. */
  readonly #watched = new Map<string, number>();
  #level: LoggingLevel | undefined;
  #client: Client | undefined;
  #stream: ChangeStream | undefined;

  /** `changed` is told of each list that may have changed before the server was asked to report changes. */
  constructor(entry: ServerEntry, changed: (change: ListChange) => void) {
    this.#name = entry.name;
    this.#changed = changed;
    this.#read = serverLog(entry);
  }

  /** Call it before the client connects. */
  prepare(client: Client): void {
    client.setNotificationHandler("notifications/message", ({ params }) => {
      // A server can send messages that no listener wants.
      if (this.#level === undefined || !isLoud(params.level, this.#level)) return;
      const message = this.#read(params);
      if (message !== undefined) this.#tell({ kind: "log", message });
    });
    client.setNotificationHandler("notifications/resources/updated", ({ params: { uri } }) => {
      if (this.#watched.has(uri)) this.#tell({ kind: "updated", uri });
    });
  }

  /** The server is connected: subscribe to what is wanted. */
  opened(client: Client): void {
    this.#client = client;
    this.#stream = undefined;
    if (client.getProtocolEra() === "modern")
      this.#stream = new ChangeStream(client, () => this.#watched.keys(), this.#changed);
    else {
      this.#sendLevel(client);
      for (const uri of this.#watched.keys()) client.subscribeResource({ uri }).catch(() => {});
    }
  }

  listen(tell: (news: ConnectionNews) => void): () => void {
    this.#listeners.add(tell);
    return () => this.#listeners.delete(tell);
  }

  get level(): LoggingLevel | undefined {
    return this.#level;
  }

  set level(level: LoggingLevel | undefined) {
    if (level === this.#level) return;
    this.#level = level;
    if (this.#client !== undefined) this.#sendLevel(this.#client);
  }

  /** `subscribe` is for a server of the older protocol generation; the newer one uses its stream. */
  async watch(uri: string, subscribe: () => Promise<unknown>): Promise<() => void> {
    if (this.#client?.getServerCapabilities()?.resources?.subscribe !== true)
      throw new ToolFailure(
        "tool_failed",
        `The server ${this.#name} does not support subscriptions to resources.`,
      );
    if (this.#watched.size >= MOST_WATCHED)
      throw new ToolFailure("too_large", `Too many resources of the server ${this.#name} are watched.`);
    const isFirst = !this.#watched.has(uri);
    this.#watched.set(uri, (this.#watched.get(uri) ?? 0) + 1);
    let isWatched = true;
    const release = () => {
      if (isWatched) this.#release(uri);
      isWatched = false;
    };
    try {
      if (isFirst && this.#stream === undefined) await subscribe();
    } catch (error) {
      release();
      throw error;
    }
    if (isFirst) this.#stream?.renew();
    return release;
  }

  #release(uri: string): void {
    const others = (this.#watched.get(uri) ?? 1) - 1;
    if (others > 0) {
      this.#watched.set(uri, others);
      return;
    }
    this.#watched.delete(uri);
    if (this.#stream !== undefined) this.#stream.renew();
    else this.#client?.unsubscribeResource({ uri }).catch(() => {});
  }

  #sendLevel(client: Client): void {
    // The newer protocol generation sends the level with each call.
    const isTold =
      client.getProtocolEra() !== "modern" && client.getServerCapabilities()?.logging !== undefined;
    if (isTold && this.#level !== undefined) client.setLoggingLevel(this.#level).catch(() => {});
  }

  #tell(news: ConnectionNews): void {
    for (const tell of [...this.#listeners]) tell(news);
  }
}
