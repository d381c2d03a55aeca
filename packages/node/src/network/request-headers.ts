import { ToolFailure } from "@toolkeep/core";

/** Headers of a request by their names in lower case. */
export type RequestHeaders = ReadonlyMap<string, string>;

const NAME = /^[\w!#$%&'*+.^`|~-]{1,256}$/;
/** What a header may hold: no line ends, no other control characters, nothing beyond one byte. */
const VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

/** They belong to the connection, to the way there, or to what is counted: not to whoever asks. */
const REFUSED: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "via",
]);
const REFUSED_BEGINNING = /^(?:proxy-|:)/;

/** Nothing in these tells who is asking. Any other header may be a credential under a name we do not know. */
const ANONYMOUS: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "content-encoding",
  "content-language",
  "content-type",
  "if-modified-since",
  "if-none-match",
  "range",
  "user-agent",
]);

const OURS: readonly (readonly [string, string])[] = [
  ["accept", "*/*"],
  ["accept-encoding", "gzip, br, zstd"],
  ["user-agent", "toolkeep"],
];

/** @throws ToolFailure `invalid_arguments` for a header that a request may not set, or that is none. */
export function readHeaders(given: Readonly<Record<string, string>>, most: number): RequestHeaders {
  const headers = new Map<string, string>();
  let size = 0;
  for (const [written, value] of Object.entries(given)) {
    const name = written.toLowerCase();
    if (!NAME.test(written)) throw invalid("A header has a name that is none.");
    if (typeof value !== "string" || !VALUE.test(value))
      throw invalid(`The header ${name} contains a line end, or another character that no header holds.`);
    if (REFUSED.has(name) || REFUSED_BEGINNING.test(name))
      throw invalid(`The header ${name} is not for a request to set.`);
    if (headers.has(name)) throw invalid(`The header ${name} is there twice.`);
    headers.set(name, value);
    size += name.length + value.length;
  }
  if (size > most) throw invalid(`The headers are larger than ${most} bytes.`);
  return new Map([...OURS, ...headers]);
}

/** What is left of the headers when a request goes on to another origin. */
export function anonymousHeaders(headers: RequestHeaders): RequestHeaders {
  return new Map([...headers].filter(([name]) => ANONYMOUS.has(name)));
}

/** What is left of the headers when a request goes on without its body. */
export function bodilessHeaders(headers: RequestHeaders): RequestHeaders {
  return new Map([...headers].filter(([name]) => !name.startsWith("content-")));
}

function invalid(message: string): ToolFailure {
  return new ToolFailure("invalid_arguments", message, { hint: "Leave it out." });
}
