import type { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio as serveOverStdio } from "@modelcontextprotocol/server/stdio";
import type { StdioEndpoint } from "./endpoint.ts";

/** What a stdio endpoint serves. */
export interface StdioParts {
  make(era: "legacy" | "modern"): Server;
  /** Told of every server while it lasts. */
  joined(server: Server): () => void;
  onNote(note: string): void;
}

/** Serves both eras on the standard streams of this process. Nothing else may write to its output. */
export function serveStdio(parts: StdioParts): StdioEndpoint {
  const wire = new StdioServerTransport();
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const handle = serveOverStdio(
    ({ era }) => {
      const server = parts.make(era);
      server.onclose = parts.joined(server);
      return server;
    },
    { transport: wire, onerror: (error) => parts.onNote(`stdio: ${error.message}`) },
  );
  const end = wire.onclose;
  wire.onclose = () => {
    end?.();
    resolve();
  };
  return { closed, close: () => handle.close() };
}
