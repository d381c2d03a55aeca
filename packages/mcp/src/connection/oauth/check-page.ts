import { BlockList, isIP } from "node:net";
import { ToolFailure } from "@toolkeep/core";
import { isLoopback, mayBeLoopback } from "../link/server-address.ts";

/** The characters allowed in an address that is passed to another program. Everything else is refused, not escaped. */
const HARMLESS = /^[A-Za-z0-9\-._~:/?#[\]@!&*+,;=%]+$/;
const LONGEST = 8_192;

/**
 * Checks the page that a server wants to send the user's browser to.
 * @throws ToolFailure `denied` for anything but https (http is allowed on loopback if the server is on loopback too),
 * and for characters that a program could interpret as more than an address.
 */
export function checkPage(page: URL, server: URL): void {
  checkScheme(page, server);
  if (page.username !== "" || page.password !== "")
    throw denied(page, "it contains a user name or a password");
  if (page.href.length > LONGEST) throw denied(page, "it is too long");
  if (!HARMLESS.test(page.href))
    throw denied(page, "it contains characters that are not allowed in an address");
}

/**
 * Checks an address other than the server's own that a login would contact: its metadata or its tokens.
 * @throws ToolFailure `denied` for anything but https (http is allowed on loopback if the server is on loopback too),
 * for addresses that are not public, and for the names under which clouds keep credentials.
 */
export function checkEndpoint(endpoint: URL, server: URL): void {
  checkScheme(endpoint, server);
  if (endpoint.hostname !== server.hostname && !isLoopback(endpoint) && isPrivate(endpoint.hostname))
    throw denied(endpoint, "it is the address of a private network");
}

function checkScheme(url: URL, server: URL): void {
  if (mayBeLoopback(url) && !isLoopback(server)) throw denied(url, "it points to this machine");
  if (isLoopback(url) && (url.protocol === "http:" || url.protocol === "https:")) return;
  if (url.protocol !== "https:") throw denied(url, "it is not https");
}

/** Addresses that no public machine has, and addresses that can embed another one. */
const NOT_PUBLIC = new BlockList();
for (const [address, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const)
  NOT_PUBLIC.addSubnet(address, bits, "ipv4");
for (const [address, bits] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const)
  NOT_PUBLIC.addSubnet(address, bits, "ipv6");
/** All public IPv6 addresses are in this range. */
const GLOBAL = new BlockList();
GLOBAL.addSubnet("2000::", 3, "ipv6");

/** Where clouds and clusters keep credentials. */
const METADATA =
  /^(?:metadata|metadata\.google\.internal|metadata\.goog|metadata\.azure\.internal|instance-data|instance-data\.ec2\.internal|kubernetes\.default(?:\.svc.*)?)$/;

function isPrivate(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$|\.+$/g, "");
  const family = isIP(name);
  if (family === 0) return METADATA.test(name);
  if (family === 4) return NOT_PUBLIC.check(name, "ipv4");
  return !GLOBAL.check(name, "ipv6") || NOT_PUBLIC.check(name, "ipv6");
}

function denied(url: URL, why: string): ToolFailure {
  return new ToolFailure(
    "denied",
    `The server asks for a login at ${url.protocol}//${url.host}, which is refused: ${why}.`,
    {
      hint: "Do not trust this server until its operator has explained this.",
    },
  );
}
