import { ToolFailure } from "@toolkeep/core";
import { contentKind, readContentType } from "./content-kind.ts";
import { decodeText } from "./decode-text.ts";
import { htmlToText } from "./html-to-text.ts";
import { pdfToText } from "./pdf-to-text.ts";

/** What came back from the web, and how it is wanted. */
export interface FetchedPage {
  readonly url: string;
  readonly contentType: string | undefined;
  readonly bytes: Uint8Array;
  readonly format: "markdown" | "text" | "html";
  readonly signal: AbortSignal;
}

/** Text, or the type of a picture, which is shown as it is. */
export type ShownPage =
  | { readonly text: string; readonly title?: string; readonly pages?: number }
  | { readonly image: string };

/** Turns a body into what a model can read. @throws ToolFailure for one that it cannot. */
export async function showPage(page: FetchedPage): Promise<ShownPage> {
  const { bytes, url, format, signal } = page;
  const declared = readContentType(page.contentType);
  const is = contentKind(bytes, declared);
  if (is.kind === "image") return { image: is.mimeType };
  if (is.kind === "pdf") return pdfToText(bytes, signal);
  if (is.kind === "binary") throw notText(bytes.byteLength, declared.type);
  const text = decodeText(bytes, declared.charset);
  if (is.kind === "text" || format === "html") return { text };
  return htmlToText(text, { url, format, signal });
}

function notText(size: number, type: string): ToolFailure {
  const what = type === "" ? "" : ` of type ${JSON.stringify(type.slice(0, 100))}`;
  return new ToolFailure("tool_failed", `The address leads to ${size} bytes${what} that are no text.`, {
    hint: "Only text, pages, PDFs and pictures can be shown.",
  });
}
