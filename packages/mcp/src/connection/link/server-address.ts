import { ToolFailure } from "@toolkeep/core";

/**
 * The address of a server, if connecting to it is allowed.
 * @throws ToolFailure `denied` for an invalid address, for other schemes, for credentials in it, and for plain
 * http beyond loopback unless that is allowed.
 */
export function serverAddress(text: string, allowsPlainHttp: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw denied("Its address is not a URL.");
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw denied(`Its address begins with ${url.protocol}, and only https: and http: are supported.`);
  if (url.username !== "" || url.password !== "")
    throw denied("Its address contains a user name or a password. Use `headers` instead.");
  if (url.protocol === "http:" && !isLoopback(url) && !allowsPlainHttp)
    throw denied(
      `${url.host} would be reached over plain http, which can be read and changed in transit.`,
      "Use https, or set `plainHttp: true` in the settings of this server.",
    );
  return url;
}

/** Whether a URL points to this machine by its name alone. */
export function isLoopback({ hostname }: URL): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
  );
}

/** Whether a URL may point to this machine: `localhost.` does on some systems. Use it to forbid, never to allow. */
export function mayBeLoopback(url: URL): boolean {
  const hostname = url.hostname.replace(/(?<!\.)\.+$/, "");
  return isLoopback(url) || hostname === "localhost" || hostname.endsWith(".localhost");
}

function denied(reason: string, hint = "Fix the `url` of this server."): ToolFailure {
  return new ToolFailure("denied", `The server was not contacted. ${reason}`, { hint });
}
