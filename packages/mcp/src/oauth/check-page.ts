import { ToolFailure } from "@toolkeep/core";
import { isLoopback, mayBeLoopback } from "../connection/server-address.ts";

/** What an address may hold that is handed to another program. Everything else is refused, not escaped. */
const HARMLESS = /^[A-Za-z0-9\-._~:/?#[\]@!&*+,;=%]+$/;
const LONGEST = 8_192;

/**
 * Holds the page that a server would send the person's browser to.
 * @throws ToolFailure `denied` for anything but https (http on loopback, for a server that is there itself), and
 * for characters that a program might take for more than an address.
 */
export function checkPage(page: URL, server: URL): void {
  checkScheme(page, server);
  if (page.username !== "" || page.password !== "") throw denied(page, "it holds a name or a password");
  if (page.href.length > LONGEST) throw denied(page, "it is too long");
  if (!HARMLESS.test(page.href)) throw denied(page, "it holds characters that have no place in an address");
}

/**
 * Holds an address beyond the server's own that a login would ask: its metadata, its tokens.
 * @throws ToolFailure `denied` for anything but https (http on loopback, for a server that is there itself), and
 * for addresses of private networks.
 */
export function checkEndpoint(endpoint: URL, server: URL): void {
  checkScheme(endpoint, server);
  if (endpoint.hostname !== server.hostname && !isLoopback(endpoint) && isPrivate(endpoint.hostname))
    throw denied(endpoint, "it is the address of a private network");
}

function checkScheme(url: URL, server: URL): void {
  if (mayBeLoopback(url) && !isLoopback(server)) throw denied(url, "it leads back to this machine");
  if (isLoopback(url) && (url.protocol === "http:" || url.protocol === "https:")) return;
  if (url.protocol !== "https:") throw denied(url, "it is not https");
}

const PRIVATE = [
  /^0\./,
  /^10\./,
  /^127\./,
  /^169\.254\./,
  /^172\.(?:1[6-9]|2\d|3[01])\./,
  /^192\.168\./,
  /^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./,
  /^\[(?:::|f[cd]|fe[89ab])/,
];

function isPrivate(hostname: string): boolean {
  const isLiteral = hostname.startsWith("[") || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(hostname);
  return isLiteral && PRIVATE.some((range) => range.test(hostname));
}

function denied(url: URL, why: string): ToolFailure {
  return new ToolFailure(
    "denied",
    `The server wants a login at ${url.protocol}//${url.host}, which is refused: ${why}.`,
    {
      hint: "Do not trust this server before its operator has explained that.",
    },
  );
}
