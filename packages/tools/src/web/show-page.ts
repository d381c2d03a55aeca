import { ToolFailure } from "@toolkeep/core";
import type { PdfReader } from "@toolkeep/core/ports";
import { contentKind, readContentType } from "./content-kind.ts";
import { decodeText } from "./decode-text.ts";
import { htmlToText } from "./html-to-text.ts";
import { pdfToText } from "./pdf-to-text.ts";

/** A response and the wanted format. */
export interface FetchedPage {
  readonly url: string;
  readonly contentType: string | undefined;
  readonly bytes: Uint8Array;
  readonly format: "markdown" | "text" | "html";
  readonly signal: AbortSignal;
  readonly pdf: PdfReader | undefined;
}

/** Text, or the type of an image, which is shown as an image. */
export type ShownPage =
  | { readonly text: string; readonly title?: string; readonly pages?: number }
  | { readonly image: string };

/** Converts a body into what a model can read. @throws ToolFailure for a body that cannot be shown. */
export async function showPage(page: FetchedPage): Promise<ShownPage> {
  const { bytes, url, format, signal, pdf } = page;
  const declared = readContentType(page.contentType);
  const is = contentKind(bytes, declared);
  if (is.kind === "image") return { image: is.mimeType };
  if (is.kind === "pdf") {
    if (pdf !== undefined) return pdfToText(pdf, bytes, signal);
    throw notRead(bytes.byteLength);
  }
  if (is.kind === "binary") throw notText(bytes.byteLength, declared.type);
  const text = decodeText(bytes, declared.charset);
  if (is.kind === "text" || format === "html") return { text };
  return htmlToText(text, { url, format, signal });
}

function notRead(size: number): ToolFailure {
  const message = `The address leads to a PDF of ${size} bytes. This session has no PDF reader.`;
  return new ToolFailure("tool_failed", message, { hint: "Look for the same text as a web page." });
}

function notText(size: number, type: string): ToolFailure {
  const what = type === "" ? "" : ` of type ${JSON.stringify(type.slice(0, 100))}`;
  return new ToolFailure("tool_failed", `The address leads to ${size} bytes${what} that are not text.`, {
    hint: "Only text, pages, PDFs and images can be shown.",
  });
}
