export const TIMEOUTS: Readonly<Record<string, string>> = {
  UND_ERR_CONNECT_TIMEOUT: "did not take the connection in time",
  ETIMEDOUT: "did not take the connection in time",
  UND_ERR_HEADERS_TIMEOUT: "did not answer in time",
  UND_ERR_BODY_TIMEOUT: "stopped sending its answer",
};

export const PASSING: ReadonlySet<string> = new Set([
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EPIPE",
  "UND_ERR_SOCKET",
]);

export const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|ERR_TLS|ERR_SSL|SIGNATURE/;

export const BROKEN_CODING = /^(?:Z_|ERR_BROTLI|ERR_ZSTD|ZSTD_|ERR__ERROR|ERR_PADDING|ERR_\d)/;
