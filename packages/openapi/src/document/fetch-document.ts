import { ToolkeepError } from "@toolkeep/core";
import { invalidOption, isTrustedAddress } from "@toolkeep/core/internal";
import { MOST_BYTES } from "./read-text.ts";

/** Port: fetches a document. Must not follow redirects itself. */
export type FetchDocument = (
  url: string,
  init: { readonly signal: AbortSignal; readonly redirect: "manual" },
) => Promise<Pick<Response, "status" | "ok" | "body">>;

const LONGEST_MS = 30_000;

/**
 * Fetches the text of a document: a request of the host application, not of a tool or a model. Over https, or from
 * this machine; redirects are not followed; 32 MB and 30 seconds at most.
 * @throws ToolkeepError `invalid_option` if the document cannot be fetched.
 */
export async function fetchDocument(address: string, fetcher: FetchDocument = fetch): Promise<string> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || url.username !== "" || url.password !== "")
    throw invalid("the address is invalid");
  if (!isTrustedAddress(address)) throw invalid("only https is supported, or http on this machine");
  const signal = AbortSignal.timeout(LONGEST_MS);
  try {
    const response = await fetcher(url.href, { signal, redirect: "manual" });
    if (response.status >= 300 && response.status < 400)
      throw invalid(`${url.host} redirects, and redirects are not followed; use the final address`);
    if (!response.ok || response.body === null)
      throw invalid(`${url.host} answered with status ${response.status}`);
    return await boundedText(response.body);
  } catch (cause) {
    if (ToolkeepError.isInstance(cause)) throw cause;
    throw invalid(
      signal.aborted ? `${url.host} took longer than ${LONGEST_MS} ms` : `${url.host} could not be reached`,
      cause,
    );
  }
}

async function boundedText(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const piece of body) {
    size += piece.byteLength;
    if (size > MOST_BYTES) throw invalid(`it is larger than ${MOST_BYTES} bytes`);
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

function invalid(reason: string, cause?: unknown): ToolkeepError {
  return invalidOption(`The OpenAPI document was not fetched: ${reason}.`, { cause });
}
