import type { PdfReader } from "@toolkeep/core/ports";
import { showBlocks } from "./show-blocks.ts";
import type { TextQuery } from "./show-text.ts";

/** Shows the text of a PDF, page by page. @throws ToolFailure for a PDF that is unreadable or too large. */
export async function showPdf(
  pdf: PdfReader,
  bytes: Uint8Array,
  query: TextQuery & { readonly signal: AbortSignal },
): Promise<string> {
  const { offset = 1, limit, mostBytes, signal } = query;
  const { pages, total } = await pdf.read(bytes, {
    signal,
    from: offset,
    ...(limit === undefined ? {} : { limit }),
    // A character takes at least one byte, so what fits is among them.
    maxCharacters: mostBytes,
  });
  return showBlocks({ what: "page", count: total, block: (number) => pages[number - offset] ?? "" }, query);
}
