import { ToolFailure } from "@toolkeep/core";

/** `URL` drops tabs and line breaks and reads a backslash as a slash; other programs do not. */
const UNCLEAR = /[\p{Cc}\\]/u;

/**
 * Parses a URL from a model, before an approver is asked about its host.
 * @throws ToolFailure `invalid_arguments` for text that is not a URL, or that contains a user name or password.
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
  return new ToolFailure("invalid_arguments", `this address cannot be fetched: ${reason}`, {
    hint: "Give a whole URL, such as https://example.com/page.",
  });
}
