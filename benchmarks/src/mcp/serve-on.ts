import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type NodeIncomingMessageLike, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, type Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

export type Wire = "stdio" | "http";

/** Serves over the standard streams, or on loopback with the URL as the first line of standard output. */
export async function serveOn(wire: Wire, factory: () => Server): Promise<void> {
  if (wire === "stdio") {
    serveStdio(factory);
    process.stdin.on("end", () => process.exit(0));
    return;
  }
  const answer = toNodeHandler(createMcpHandler(factory));
  const server = createServer(
    (request, response) => void answer(request as NodeIncomingMessageLike, response),
  );
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
}

/** Prints the URL for the parent process. This process ends with its standard input. */
export function announce(url: string, token = ""): void {
  process.stdout.write(`${JSON.stringify({ url, token })}\n`);
  process.stdin.on("end", () => process.exit(0)).resume();
}
