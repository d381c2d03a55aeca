import { ToolFailure } from "@toolkeep/core";
import type { PdfReader } from "@toolkeep/core/ports";

export interface PdfText {
  readonly pages: number;
  readonly text: string;
}

const MOST_CHARACTERS = 8_000_000;

/**
 * The text of a PDF, page by page.
 * @throws ToolFailure `too_large` for too much text, or the failure of the reader.
 */
export async function pdfToText(pdf: PdfReader, bytes: Uint8Array, signal: AbortSignal): Promise<PdfText> {
  const { pages, total } = await pdf.read(bytes, { signal, maxCharacters: MOST_CHARACTERS });
  if (pages.length < total)
    throw new ToolFailure("too_large", `The PDF has ${total} pages with too much text to return.`);
  const text = pages.map((page, index) => `[page ${index + 1}]\n${page.trim()}`).join("\n\n");
  return { pages: total, text };
}
