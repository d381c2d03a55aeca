import type { PdfReader } from "@toolkeep/core/ports";
import { showBlocks } from "./show-blocks.ts";
import type { TextQuery } from "./show-text.ts";

/** The text of a PDF, page by page. @throws ToolFailure for one that cannot be read, or that holds too much. */
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
    // No character is less than a byte: what fits is among them.
    maxCharacters: mostBytes,
  });
  return showBlocks({ what: "page", count: total, block: (number) => pages[number - offset] ?? "" }, query);
}
