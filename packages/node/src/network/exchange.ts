import { pipeline, type Readable, Transform } from "node:stream";
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from "node:zlib";
import { ToolFailure } from "@toolkeep/core";
import type { NetworkResponse } from "@toolkeep/core/ports";
import type { Dispatcher } from "undici";
import { type Deadline, untilAborted } from "./deadline.ts";
import { type Hop, nextHop } from "./hop.ts";
import { networkFailure } from "./network-failure.ts";
import { hostOf } from "./read-url.ts";

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
    // The types do not say that raw headers are alternating names and values.
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

interface BodyOptions {
  /** What undoes the compression. */
  readonly decoder: Transform | undefined;
  readonly maxBytes: number;
  readonly deadline: Deadline;
  readonly host: string;
}

/**
 * The body as a stream that is read as it is asked for. It errors with a ToolFailure: `too_large` after the
 * most bytes it may have, which are still given, `timed_out`, `cancelled`, or `unavailable` if it breaks off.
 */
function boundedBody(wire: Readable, options: BodyOptions): ReadableStream<Uint8Array> {
  const { decoder, maxBytes, deadline, host } = options;
  // Counted on both sides: a coding may also need many bytes for nothing.
  const source = decoder === undefined ? wire : pipeline(wire, countedUpTo(maxBytes), decoder, ignoreFailure);
  source.on("error", ignoreFailure);
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  let left = maxBytes;
  let failure: ToolFailure | undefined;

  function stop(reason: ToolFailure): ToolFailure {
    failure = reason;
    deadline.end();
    source.destroy();
    wire.destroy();
    return reason;
  }

  async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    if (failure !== undefined) return controller.error(failure);
    try {
      // Also what has come already is late.
      deadline.signal.throwIfAborted();
      const { done, value } = await chunks.next();
      if (done === true) {
        deadline.end();
        return controller.close();
      }
      const isOver = value.byteLength > left;
      const part = isOver ? value.subarray(0, left) : value;
      if (isOver) stop(tooLarge(maxBytes));
      left -= part.byteLength;
      if (part.byteLength === 0 && failure !== undefined) return controller.error(failure);
      controller.enqueue(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
    } catch (error) {
      const { aborted, reason } = deadline.signal;
      controller.error(stop(networkFailure(aborted ? reason : error, host)));
    }
  }

  return new ReadableStream<Uint8Array>(
    { pull, cancel: () => void stop(new ToolFailure("cancelled", "The body is no longer read.")) },
    { highWaterMark: 0 },
  );
}

function countedUpTo(most: number): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      size += chunk.byteLength;
      if (size > most) done(tooLarge(most));
      else done(null, chunk);
    },
  });
}

function tooLarge(most: number): ToolFailure {
  return new ToolFailure("too_large", `The answer is larger than ${most} bytes.`, {
    hint: "Ask for a part of it, or for something smaller.",
  });
}

/** The reader of the body gets the error; a stream without a listener would end the process. */
function ignoreFailure(): void {}

/** A window of 8 MB, which is the most that a sender may ask for on the web. */
const ZSTD_WINDOW = 23;

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(),
  "x-gzip": () => createGunzip(),
  deflate: () => createInflate(),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW } }),
};

/**
 * The decoder of a content coding; `undefined` if there is none.
 * @throws ToolFailure `unavailable` for an unknown coding, and for nested codings: no honest server sends them, and
 * each one multiplies what a few bytes become.
 */
function decoderOf(codings: readonly string[]): Transform | undefined {
  const names = codings
    .flatMap((line) => line.toLowerCase().split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  const [name] = names;
  if (name === undefined) return undefined;
  const make = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
  if (names.length === 1 && make !== undefined) return make();
  throw new ToolFailure("unavailable", "The answer is compressed in a way that is not understood.");
}

/** Alternating names and values, as they came. */
type RawHeaders = readonly string[];

/** Every value of a header, by its name in lower case. */
function valuesOf(raw: RawHeaders, wanted: string): string[] {
  return pairsOf(raw)
    .filter(([name]) => name === wanted)
    .map(([, value]) => value);
}

/** They describe the bytes on the wire, which are not those that are passed on. */
const OF_THE_WIRE: ReadonlySet<string> = new Set(["content-encoding", "content-length", "transfer-encoding"]);

/** One text for each name, several values joined by commas. */
function flatHeaders(raw: RawHeaders, isDecoded: boolean): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  for (const [name, value] of pairsOf(raw)) {
    if (isDecoded && OF_THE_WIRE.has(name)) continue;
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.freeze(Object.fromEntries(headers));
}

function pairsOf(raw: RawHeaders): (readonly [name: string, value: string])[] {
  return raw.flatMap((name, index) =>
    index % 2 === 0 ? [[name.toLowerCase(), raw[index + 1] ?? ""] as const] : [],
  );
}
