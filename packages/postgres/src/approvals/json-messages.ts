import type { IncomingMessage, ServerResponse } from "node:http";
import { HttpError } from "./http-error.ts";

const MOST_BYTES = 256 * 1024;

/** The body of a request. @throws HttpError if it is not JSON, or too large. */
export async function readJson(req: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  if (!/^application\/json\b/i.test(req.headers["content-type"] ?? ""))
    throw new HttpError(415, "Send JSON: `Content-Type: application/json`.");
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new HttpError(413, `The body is larger than ${MOST_BYTES} bytes.`);
    chunks.push(chunk);
  }
  try {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
    if (typeof body === "object" && body !== null && !Array.isArray(body))
      return body as Readonly<Record<string, unknown>>;
  } catch {
    // The same answer as for another value.
  }
  throw new HttpError(400, "The body is not a JSON object.");
}

export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, {
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
  });
  res.end(JSON.stringify(body));
}
