import type { NetworkResponse } from "@toolkeep/core/ports";
import type { Dispatcher } from "undici";
import { boundedBody } from "./bounded-body.ts";
import type { Deadline } from "./deadline.ts";
import { decoderOf } from "./decoder-of.ts";
import { type Hop, nextHop } from "./hop.ts";
import { networkFailure } from "./network-failure.ts";
import { hostOf } from "./read-url.ts";
import { flatHeaders, type RawHeaders, valuesOf } from "./response-headers.ts";
import { untilAborted } from "./until-aborted.ts";

/** What came back for one hop. Its body must be read or discarded. */
export interface Answer {
  readonly hop: Hop;
  readonly status: number;
  readonly headers: RawHeaders;
  readonly body: Dispatcher.ResponseData["body"];
}

/** Sends one request, and follows no redirect. @throws ToolFailure, whatever goes wrong. */
export async function exchange(dispatcher: Dispatcher, hop: Hop, signal: AbortSignal): Promise<Answer> {
  const { url, method, body = null } = hop;
  const request = dispatcher.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method,
    headers: Object.fromEntries(hop.headers),
    body,
    signal,
    responseHeaders: "raw",
  });
  try {
    const answer = await untilAborted(request, signal);
    // The types do not know that raw headers are texts in turns.
    const headers = answer.headers as unknown as RawHeaders;
    return { hop, status: answer.statusCode, headers, body: answer.body };
  } catch (error) {
    throw networkFailure(signal.aborted ? signal.reason : error, hostOf(url));
  }
}

/** Where an answer sends the request on; its body is then discarded. @throws ToolFailure as `nextHop` does. */
export function redirectOf({ hop, status, headers, body }: Answer): Hop | undefined {
  try {
    const next = nextHop(hop, status, valuesOf(headers, "location"));
    if (next !== undefined) discard(body);
    return next;
  } catch (error) {
    discard(body);
    throw error;
  }
}

/** The answer as a tool sees it. @throws ToolFailure `unavailable` for a body that cannot be decompressed. */
export function responseOf(answer: Answer, maxBytes: number, deadline: Deadline): NetworkResponse {
  const { hop, status, headers, body } = answer;
  const isBodiless = hop.method === "HEAD" || status === 204 || status === 304;
  try {
    const decoder = isBodiless ? undefined : decoderOf(valuesOf(headers, "content-encoding"));
    return Object.freeze({
      url: hop.url.href,
      status,
      headers: flatHeaders(headers, decoder !== undefined),
      body: boundedBody(body, { decoder, maxBytes, deadline, host: hostOf(hop.url) }),
    });
  } catch (error) {
    discard(body);
    throw error;
  }
}

function discard(body: Answer["body"]): void {
  body.on("error", () => {}).destroy();
}
