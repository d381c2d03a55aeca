import { ToolFailure } from "@toolkeep/core";

/**
 * The address of a server, if we may speak to it.
 * @throws ToolFailure `denied` for what is no address, for other schemes, for credentials in it, and for plain
 * http beyond loopback unless that was allowed.
 */
export function serverAddress(text: string, allowsPlainHttp: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw denied("Its address is not a URL.");
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw denied(`Its address begins with ${url.protocol}, and only https: and http: are spoken.`);
  if (url.username !== "" || url.password !== "")
    throw denied("Its address holds a name or a password; put them into `headers`.");
  if (url.protocol === "http:" && !isLoopback(url) && !allowsPlainHttp)
    throw denied(
      `${url.host} would be reached over plain http, which anybody on the way can read and change.`,
      "Use https, or say `plainHttp: true` in the settings of this server.",
    );
  return url;
}

/** Whether a URL leads to this machine by its name alone. */
export function isLoopback({ hostname }: URL): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
  );
}

/** Whether a URL may lead to this machine: `localhost.` does on some. For what must not, never for what may. */
export function mayBeLoopback(url: URL): boolean {
  const hostname = url.hostname.replace(/(?<!\.)\.+$/, "");
  return isLoopback(url) || hostname === "localhost" || hostname.endsWith(".localhost");
}

function denied(reason: string, hint = "Correct the `url` of this server."): ToolFailure {
  return new ToolFailure("denied", `The server is not reached. ${reason}`, { hint });
}
