import { ToolFailure } from "@toolkeep/core";
import type { NetworkRequest } from "@toolkeep/core/ports";
import { ANONYMOUS, OURS, REFUSED, REFUSED_BEGINNING } from "./header-names.ts";
import { hostOf, readUrl } from "./read-url.ts";

/** One request on the way to the final answer. */
export interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: RequestHeaders;
  readonly body?: string | Uint8Array;
}

const METHOD = /^[A-Z]{1,20}$/;
/** They speak to what is on the way, or give back what was sent. */
const REFUSED_METHODS: ReadonlySet<string> = new Set(["CONNECT", "TRACE", "TRACK"]);

/** @throws ToolFailure for an address, a method or a header that may not be sent. */
export function firstHop(request: NetworkRequest, maxHeaderBytes: number): Hop {
  const { url, method = "GET", headers = {}, body } = request;
  const name = String(method).toUpperCase();
  if (!METHOD.test(name) || REFUSED_METHODS.has(name))
    throw new ToolFailure("invalid_arguments", "This method is not one to fetch with.", {
      hint: "Use GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS.",
    });
  const read = { url: readUrl(String(url)), method: name, headers: readHeaders(headers, maxHeaderBytes) };
  return body === undefined ? read : { ...read, body };
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Where a response redirects the request to; `undefined` if it is final. What may identify the sender never goes to
 * another origin, nor does a body.
 * @throws ToolFailure for a target that a request may not be redirected to.
 */
export function nextHop(hop: Hop, status: number, locations: readonly string[]): Hop | undefined {
  const [location] = locations;
  if (!REDIRECTS.has(status) || location === undefined) return undefined;
  const host = hostOf(hop.url);
  if (locations.length > 1 || !URL.canParse(location, hop.url.href))
    throw new ToolFailure("unavailable", `${host} sends the request on to no clear address.`);
  const url = readUrl(new URL(location, hop.url.href).href);
  if (hop.url.protocol === "https:" && url.protocol === "http:")
    throw new ToolFailure(
      "out_of_scope",
      `${host} sends the request on over a connection that is not secure.`,
    );
  const kept = withoutBody(hop, status);
  if (url.origin === hop.url.origin) return { ...kept, url };
  if (kept.body !== undefined)
    throw new ToolFailure("out_of_scope", `${host} sends the request and its body on to ${hostOf(url)}.`, {
      hint: "Send it there yourself if that is meant.",
    });
  return { ...kept, url, headers: anonymousHeaders(kept.headers) };
}

/** As browsers do: a form that was posted is not posted again, unless the status says so. */
function withoutBody(hop: Hop, status: number): Hop {
  const { method, url, headers } = hop;
  const isKept = status === 303 ? method === "GET" || method === "HEAD" : status > 303 || method !== "POST";
  return isKept ? hop : { url, method: "GET", headers: bodilessHeaders(headers) };
}

/** Headers of a request by their names in lower case. */
type RequestHeaders = ReadonlyMap<string, string>;

const NAME = /^[\w!#$%&'*+.^`|~-]{1,256}$/;
/** What a header may contain: no line ends, no other control characters, nothing beyond one byte. */
const VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

/** @throws ToolFailure `invalid_arguments` for a header that a request may not set, or that is invalid. */
function readHeaders(given: Readonly<Record<string, string>>, most: number): RequestHeaders {
  const headers = new Map<string, string>();
  let size = 0;
  for (const [written, value] of Object.entries(given)) {
    const name = written.toLowerCase();
    if (!NAME.test(written)) throw invalid("A header has an invalid name.");
    if (typeof value !== "string" || !VALUE.test(value))
      throw invalid(`The header ${name} contains a line end, or another character that headers cannot have.`);
    if (REFUSED.has(name) || REFUSED_BEGINNING.test(name))
      throw invalid(`The header ${name} is not for a request to set.`);
    if (headers.has(name)) throw invalid(`The header ${name} is there twice.`);
    headers.set(name, value);
    size += name.length + value.length;
  }
  if (size > most) throw invalid(`The headers are larger than ${most} bytes.`);
  return new Map([...OURS, ...headers]);
}

/** The headers that stay when a request is redirected to another origin. */
function anonymousHeaders(headers: RequestHeaders): RequestHeaders {
  return new Map([...headers].filter(([name]) => ANONYMOUS.has(name)));
}

/** The headers that stay when a request is redirected without its body. */
function bodilessHeaders(headers: RequestHeaders): RequestHeaders {
  return new Map([...headers].filter(([name]) => !name.startsWith("content-")));
}

function invalid(message: string): ToolFailure {
  return new ToolFailure("invalid_arguments", message, { hint: "Leave it out." });
}
