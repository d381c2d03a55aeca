import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";

export interface NodeHandlerOptions {
  readonly maxBodyBytes: number;
  onError(error: Error): void;
}

/** Answers requests of Node's HTTP server with a fetch handler. A client that disconnects aborts its request. */
export function nodeHandler(
  answer: (request: Request) => Promise<Response>,
  { maxBodyBytes, onError }: NodeHandlerOptions,
): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  return async (req, res) => {
    const gone = new AbortController();
    const abort = () => gone.abort();
    res.once("close", abort);
    if (res.destroyed) abort();
    const response = await answerOf(req, { answer, maxBodyBytes, onError, signal: gone.signal });
    res.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.body !== null) await send(response.body, res, gone.signal);
    // The close of a finished response aborts nothing.
    res.off("close", abort);
    res.end();
  };
}

interface Answering extends NodeHandlerOptions {
  answer(request: Request): Promise<Response>;
  readonly signal: AbortSignal;
}

async function answerOf(req: IncomingMessage, answering: Answering): Promise<Response> {
  const { answer, maxBodyBytes, onError, signal } = answering;
  try {
    const body = await bodyOf(req, maxBodyBytes);
    if (body === "too large")
      return failed(413, { code: -32_000, message: `The request body exceeds ${maxBodyBytes} bytes.` });
    return await answer(webRequest(req, { body, signal }));
  } catch (error) {
    onError(error instanceof Error ? error : new Error(String(error)));
    return failed(500, { code: -32_603, message: "Internal server error." });
  }
}

function failed(status: number, error: { readonly code: number; readonly message: string }): Response {
  const headers = { connection: "close" };
  return Response.json({ jsonrpc: "2.0", error, id: null }, { status, headers });
}

/** `undefined` for a method without a body. */
async function bodyOf(req: IncomingMessage, most: number): Promise<Uint8Array | undefined | "too large"> {
  if (req.method === "GET" || req.method === "HEAD") return undefined;
  if (Number(req.headers["content-length"]) > most) return "too large";
  const pieces: Buffer[] = [];
  let size = 0;
  // Destroying the request would close the socket before the answer is sent.
  for await (const piece of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > most) return "too large";
    pieces.push(piece);
  }
  return size === 0 ? undefined : Buffer.concat(pieces);
}

interface RequestParts {
  readonly body: Uint8Array | undefined;
  readonly signal: AbortSignal;
}

function webRequest(req: IncomingMessage, { body, signal }: RequestParts): Request {
  const headers = new Headers();
  // Who may send requests is decided already: what serves them has no use for a token.
  for (const [name, values = []] of Object.entries(req.headersDistinct))
    if (name !== "authorization") for (const value of values) headers.append(name, value);
  const url = `http://${req.headers.host ?? "localhost"}${req.url ?? "/"}`;
  const { method = "GET" } = req;
  return new Request(url, { method, headers, signal, ...(body === undefined ? {} : { body }) });
}

/** Writes as fast as the client reads, until the stream ends or the client disconnects. */
async function send(body: ReadableStream<Uint8Array>, res: ServerResponse, gone: AbortSignal): Promise<void> {
  res.flushHeaders();
  try {
    for await (const piece of body) {
      if (gone.aborted) break;
      if (!res.write(piece)) await once(res, "drain", { signal: gone });
    }
  } catch {
    // The headers are sent, so the response can only end here.
  }
}
