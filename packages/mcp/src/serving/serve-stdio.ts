import type { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio as serveOverStdio } from "@modelcontextprotocol/server/stdio";
import type { StdioEndpoint } from "./endpoint.ts";
import { listenedResources, type WatchedResources } from "./watched-resources.ts";

/** What a stdio endpoint serves. */
export interface StdioParts {
  make(generation: "legacy" | "modern"): Server;
  /** Called with every server while it lasts. */
  joined(server: Server, generation: "legacy" | "modern"): () => void;
  /** The resources that clients of the newer protocol generation listen for. */
  readonly watched: WatchedResources;
  onNote(note: string): void;
}

/** Serves both protocol generations on the standard streams of this process. Nothing else may write to its output. */
export function serveStdio(parts: StdioParts): StdioEndpoint {
  const wire = new StdioServerTransport();
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const handle = serveOverStdio(
    ({ era: generation }) => {
      const server = parts.make(generation);
      server.onclose = parts.joined(server, generation);
      return server;
    },
    { transport: wire, onerror: (error) => parts.onNote(`stdio: ${error.message}`) },
  );
  const remove = watchListening(wire, parts.watched);
  const end = wire.onclose;
  wire.onclose = () => {
    end?.();
    remove();
    resolve();
  };
  return { closed, close: () => handle.close() };
}

/** The library answers a client that listens, and does not expose what for. Cancelling ends it. */
function watchListening(wire: StdioServerTransport, watched: WatchedResources): () => void {
  const listening = new Map<unknown, object>();
  const deliver = wire.onmessage;
  wire.onmessage = (message) => {
    deliver?.(message);
    const { id, params } = message as { id?: unknown; params?: { requestId?: unknown } };
    for (const uri of listenedResources(message)) {
      const listener = listening.get(id) ?? {};
      listening.set(id, listener);
      // A client is never notified of a resource that must not be watched.
      watched.add(listener, uri).catch(() => {});
    }
    const ended =
      "method" in message && message.method === "notifications/cancelled" ? params?.requestId : undefined;
    const listener = listening.get(ended);
    if (listener === undefined) return;
    watched.removeAll(listener);
    listening.delete(ended);
  };
  return () => {
    for (const listener of listening.values()) watched.removeAll(listener);
  };
}
