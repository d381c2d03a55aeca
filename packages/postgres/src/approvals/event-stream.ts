import type { ServerResponse } from "node:http";

const HEARTBEAT_MS = 15_000;
/** A watcher that reads so slowly is cut off. When it connects again, it is told of everything that waits. */
const MOST_BUFFERED = 1024 * 1024;

/** Server-sent events to one watcher. */
export class EventStream {
  readonly #res: ServerResponse;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #expiry: NodeJS.Timeout | undefined;

  constructor(res: ServerResponse, expiresAt: number | undefined) {
    this.#res = res;
    res.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    res.write(": connected\n\n");
    this.#heartbeat = setInterval(() => this.#write(": still here\n\n"), HEARTBEAT_MS).unref();
    const leftMs = expiresAt === undefined ? undefined : Math.max(0, expiresAt - Date.now());
    this.#expiry =
      leftMs === undefined
        ? undefined
        : setTimeout(() => this.close(), Math.min(leftMs, LONGEST_TIMER)).unref();
    res.once("close", () => this.close());
  }

  send(event: string, data: unknown): void {
    this.#write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  close(): void {
    clearInterval(this.#heartbeat);
    clearTimeout(this.#expiry);
    this.#res.end();
  }

  #write(text: string): void {
    if (this.#res.writableEnded) return;
    if (this.#res.writableLength > MOST_BUFFERED) this.#res.destroy();
    else this.#res.write(text);
  }
}

/** The longest time that a timer can have. */
const LONGEST_TIMER = 2 ** 31 - 1;
