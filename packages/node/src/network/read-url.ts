import { ToolFailure } from "@toolkeep/core";

const LONGEST_URL = 8_192;
/** `URL` removes tabs and line ends, and treats a backslash as a slash: other programs do not. */
const UNCLEAR = /[\p{Cc}\\]/u;
const WEB_URL = /^https?:\/\/(?<authority>[^/?#]+)/i;
const HOST = /^(?:[a-z\d_-]+(?:\.[a-z\d_-]+)*|\[[\da-f:]+\])$/;
const LONGEST_HOST = 253;

/**
 * A web address that every program reads alike, without fragment and without the dot at the end of its host.
 * @throws ToolFailure `invalid_arguments` for an invalid address, `out_of_scope` for another scheme or for one with a
 * user name.
 */
export function readUrl(text: string): URL {
  if (text.length > LONGEST_URL) throw invalid(`it is longer than ${LONGEST_URL} characters`);
  if (UNCLEAR.test(text)) throw invalid("it contains a control character or a backslash");
  if (!URL.canParse(text)) throw invalid("it cannot be read");
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new ToolFailure("out_of_scope", `The network is for http and https alone, not for ${url.protocol}`);
  const authority = WEB_URL.exec(text)?.groups?.["authority"];
  if (authority === undefined) throw invalid("its scheme is not followed by // and a host");
  if (authority.includes("@"))
    throw new ToolFailure("out_of_scope", "An address may not contain a user name or a password.", {
      hint: "Leave out everything up to the @.",
    });
  const host = hostOf(url);
  if (!HOST.test(host) || host.length > LONGEST_HOST) throw invalid("its host is no plain name");
  url.hostname = host;
  url.hash = "";
  return url;
}

/** The host as effects name it: lower case, no port, no dot at the end, an IPv6 address in brackets. */
export function hostOf(url: URL): string {
  return url.hostname.endsWith(".") ? url.hostname.slice(0, -1) : url.hostname;
}

export function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

function invalid(reason: string): ToolFailure {
  return new ToolFailure("invalid_arguments", `This is no address to fetch: ${reason}.`, {
    hint: "Give a whole address, such as https://example.com/page.",
  });
}
