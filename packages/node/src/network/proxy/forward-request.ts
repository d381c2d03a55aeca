import { type IncomingMessage, type ServerResponse, request as sendRequest } from "node:http";
import type { Socket } from "node:net";
import { pipeline, type Transform } from "node:stream";
import { passedHeaders } from "./proxied-target.ts";

interface Forwarding {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** Connected, and used for this one request. */
  readonly upstream: Socket;
  /** What the body goes through. */
  readonly gate: Transform;
}

/**
 * Sends a request on as one of its own, and its answer back. Nothing of how the client wrote it is passed on: where it
 * ends was read here, and is said anew.
 */
export function forwardRequest({ request, response, url, upstream, gate }: Forwarding): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = sendRequest({
      createConnection: () => upstream,
      method: request.method ?? "GET",
      path: `${url.pathname}${url.search}`,
      setHost: false,
      headers: [
        ...["Host", url.host, ...passedHeaders(request), "Connection", "close"],
        ...(request.headers["transfer-encoding"] === undefined ? [] : ["Transfer-Encoding", "chunked"]),
      ],
    });
    sent.once("response", (answer) => {
      try {
        response.writeHead(answer.statusCode ?? 502, passedHeaders(answer));
      } catch (error) {
        // What a server answers is not to be trusted: a status or a header may be none that can be sent.
        sent.destroy();
        reject(error);
        return;
      }
      pipeline(answer, response, () => resolve());
    });
    sent.on("error", reject);
    sent.once("close", () => (response.headersSent ? resolve() : reject(new Error("There was no answer."))));
    response.once("close", () => upstream.destroy());
    gate.once("error", reject);
    pipeline(request, gate, sent, () => {});
  });
}
