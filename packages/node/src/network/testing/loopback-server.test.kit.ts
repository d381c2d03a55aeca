import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import { createSecureServer } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { SelfSigned } from "./self-signed.test.kit.ts";

interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A real server on the loopback address, at a port that was free. */
export interface LoopbackServer {
  readonly port: number;
  /** Whatever came so far, in order. */
  readonly requests: readonly SeenRequest[];
  /** How many connections there were. */
  readonly connections: () => number;
  /** How many are connected now. */
  readonly connected: () => number;
  close(): Promise<void>;
}

export async function openServer(answer: RequestListener, secure?: SelfSigned): Promise<LoopbackServer> {
  const requests: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      requests.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      answer(request, response);
    });
  };
  const server =
    secure === undefined
      ? createServer(listener)
      : createSecureServer({ ...secure, allowHTTP1: true }, listener as () => void);
  server.on("connection", (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    connections: () => connections,
    connected: () => sockets.size,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
