import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { ToolFailure } from "@toolkeep/core";
import { hostOf, readUrl } from "../read-url.ts";

/** A request that a proxy does not even consider. */
export class UnclearRequest extends Error {}

const AUTHORITY = /^(?:[^\s:@/?#[\]\\]+|\[[\da-f:.]+\]):\d{1,5}$/i;

/** Where a tunnel is to lead. @throws UnclearRequest for anything but a host and a port. */
export function tunnelTarget(request: IncomingMessage): URL {
  // A tunnel leads to the host of its first line, and some programs name no other.
  if (valuesOf(request, "host").length > 1) throw new UnclearRequest("a request has one Host");
  checkLength(request);
  const { url: authority = "" } = request;
  if (!AUTHORITY.test(authority)) throw new UnclearRequest("a tunnel is opened to HOST:PORT");
  return read(`https://${authority}/`);
}

/**
 * Where a plain request goes. Through a tunnel that was opened to an origin it names that origin's host; otherwise it
 * names its whole address, and in `Host` the same.
 * @throws UnclearRequest for one that two servers could read as two requests, or as one to two hosts.
 */
export function requestTarget(request: IncomingMessage, origin: string | undefined): URL {
  if (valuesOf(request, "host").length !== 1) throw new UnclearRequest("a request has one Host");
  checkLength(request);
  const { url: text = "" } = request;
  if (origin === undefined ? !/^http:\/\//i.test(text) : !text.startsWith("/"))
    throw new UnclearRequest("a proxy takes requests for http:// addresses, and CONNECT for the others");
  const url = read(origin === undefined ? text : `${origin}${text}`);
  const [named = ""] = valuesOf(request, "host");
  if (read(`http://${named}/`).host !== url.host)
    throw new UnclearRequest("the address and the Host of the request differ");
  return url;
}

function read(text: string): URL {
  try {
    return readUrl(text);
  } catch (error) {
    if (ToolFailure.isInstance(error)) throw new UnclearRequest(error.message.replace(/\.$/, ""));
    throw error;
  }
}

/** The parser refuses most of this already; what it joins or drops is not passed on either. */
function checkLength(request: IncomingMessage): void {
  const lengths = valuesOf(request, "content-length");
  const codings = valuesOf(request, "transfer-encoding");
  if (lengths.length + codings.length > 1)
    throw new UnclearRequest("the length of the request is said twice");
  if (codings.some((coding) => coding.trim().toLowerCase() !== "chunked"))
    throw new UnclearRequest("the request has an unknown transfer coding");
}

function valuesOf({ rawHeaders }: IncomingMessage, wanted: string): readonly string[] {
  return rawHeaders.filter(
    (_value, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === wanted,
  );
}

/** They are between two neighbours, and new on each way. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "proxy-connection", "te", "trailer", "upgrade", "http2-settings"],
  ...["proxy-authenticate", "proxy-authorization", "transfer-encoding", "host"],
]);

/** Headers to pass on, as names and values in turn. */
export function passedHeaders({ rawHeaders }: IncomingMessage): string[] {
  const pairs = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""] as const] : [],
  );
  const named = pairs
    .filter(([name]) => name.toLowerCase() === "connection")
    .flatMap(([, value]) => value.split(",").map((one) => one.trim().toLowerCase()));
  // A length that is dropped would change where the body ends.
  const dropped = new Set([...OF_CONNECTION, ...named.filter((name) => name !== "content-length")]);
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase())).flat();
}

/** Whether a host is an address, which no certificate and no server name vouches for. */
export function isAddress(url: URL): boolean {
  return isIP(hostOf(url).replaceAll(/[[\]]/g, "")) !== 0;
}
