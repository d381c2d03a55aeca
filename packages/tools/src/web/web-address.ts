import { ToolFailure } from "@toolkeep/core";

/** `URL` leaves tabs and line ends out and takes a backslash for a slash; other programs do not. */
const UNCLEAR = /[\p{Cc}\\]/u;

/**
 * A web address that a model wrote, read before anybody is asked about its host.
 * @throws ToolFailure `invalid_arguments` for a text that is none, or that hides a name or a password.
 */
export function webAddress(text: string): URL {
  if (UNCLEAR.test(text)) throw invalid("it contains a control character or a backslash");
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw invalid("it cannot be read");
  if (url.protocol !== "http:" && url.protocol !== "https:") throw invalid("it is neither http nor https");
  if (url.username !== "" || url.password !== "") throw invalid("it contains a user name or a password");
  return url;
}

function invalid(reason: string): ToolFailure {
  return new ToolFailure("invalid_arguments", `this is no address to fetch, ${reason}`, {
    hint: "Give a whole address, such as https://example.com/page.",
  });
}
