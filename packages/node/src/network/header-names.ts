/** They belong to the connection, to proxies, or to what is counted: not to the tool. */
export const REFUSED: ReadonlySet<string> = new Set([
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

export const REFUSED_BEGINNING = /^(?:proxy-|:)/;

/** None of these identifies the sender. Any other header may be a credential under an unknown name. */
export const ANONYMOUS: ReadonlySet<string> = new Set([
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

export const OURS: readonly (readonly [string, string])[] = [
  ["accept", "*/*"],
  ["accept-encoding", "gzip, br, zstd"],
  ["user-agent", "toolkeep"],
];
