import type { IncomingMessage, ServerResponse } from "node:http";
import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  type ServerNotifier,
} from "@modelcontextprotocol/server";
import { LegacySessions } from "./legacy-sessions.ts";
import { nodeHandler } from "./node-handler.ts";
import { listenedResources, type WatchedResources } from "./watched-resources.ts";

/** What clients over HTTP are served. */
export interface HttpParts {
  make(generation: "legacy" | "modern"): Server;
  /** Called with every server that can send notifications, while it lasts. */
  joined(server: Server, generation: "legacy" | "modern"): () => void;
  /** Receives the function that notifies all other clients. */
  notifier(notify: ServerNotifier): () => void;
  /** The resources that clients of the newer protocol generation listen for. */
  readonly watched: WatchedResources;
  onNote(note: string): void;
}

const MOST_BODY_BYTES = 4 * 1024 * 1024;

/** How long a session of a client lasts without a request. */
export const IDLE_MS = 30 * 60_000;

/** A session's clients, of both protocol generations. A session id of the older one is known here and nowhere else. */
export class HttpClients {
  readonly #legacy: LegacySessions;
  readonly #modern: ReturnType<typeof createMcpHandler>;
  readonly #answer: ReturnType<typeof nodeHandler>;
  readonly #remove: () => void;
  #open = 0;
  #usedAt = Date.now();

  constructor(parts: HttpParts, { mostSessions }: { readonly mostSessions: number }) {
    const onError = (error: Error) => parts.onNote(`HTTP: ${error.message}`);
    this.#legacy = new LegacySessions({
      make: () => parts.make("legacy"),
      joined: (server) => parts.joined(server, "legacy"),
      most: mostSessions,
      idleMs: IDLE_MS,
      maxBodyBytes: MOST_BODY_BYTES,
    });
    this.#modern = createMcpHandler(() => parts.make("modern"), {
      legacy: "reject",
      maxRequestBodySize: MOST_BODY_BYTES,
      onerror: onError,
    });
    this.#remove = parts.notifier(this.#modern.notify);
    this.#answer = nodeHandler(
      async (request) =>
        (await isLegacyRequest(request))
          ? this.#legacy.fetch(request)
          : listening(request, parts.watched, (wanted) => this.#modern.fetch(wanted)),
      { maxBodyBytes: MOST_BODY_BYTES, onError },
    );
  }

  /** Requests and streams that are open. */
  get open(): number {
    return this.#open;
  }

  /** When the last request ended. */
  get usedAt(): number {
    return this.#open > 0 ? Date.now() : this.#usedAt;
  }

  async answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    // A client may disconnect while its token is verified.
    if (res.destroyed) return;
    this.#open += 1;
    res.once("close", () => {
      this.#open -= 1;
      this.#usedAt = Date.now();
    });
    const sessionId = req.headers["mcp-session-id"];
    if (typeof sessionId === "string") res.once("close", this.#legacy.enter(sessionId));
    await this.#answer(req, res);
  }

  async close(): Promise<void> {
    this.#remove();
    await Promise.all([this.#modern.close(), this.#legacy.close()]);
  }
}

/** The library answers a client that listens, and does not expose what for. */
async function listening(
  request: Request,
  watched: WatchedResources,
  answer: (request: Request) => Promise<Response>,
): Promise<Response> {
  if (request.headers.get("mcp-method") !== "subscriptions/listen") return answer(request);
  const message: unknown = await request
    .clone()
    .json()
    .catch(() => undefined);
  const response = await answer(request);
  if (response.headers.get("content-type")?.includes("text/event-stream") !== true) return response;
  // A client is never notified of a resource that must not be watched.
  for (const uri of listenedResources(message)) watched.add(request, uri).catch(() => {});
  request.signal.addEventListener("abort", () => watched.removeAll(request), { once: true });
  if (request.signal.aborted) watched.removeAll(request);
  return response;
}
