import { ToolFailure } from "@toolkeep/core";
import { unlessThrown } from "@toolkeep/core/internal";
import type { PdfReader } from "@toolkeep/core/ports";
import { contentKind, latin1, readContentType } from "./content-kind.ts";
import { htmlToText } from "./html-to-text.ts";

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

/** Where a page declares its encoding. */
const META = /<meta[^>]{0,500}?charset\s*=\s*["']?\s*([\w.:-]{1,40})/i;
const XML = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})/i;

/**
 * Decodes text. Uses the first of these that is valid for all bytes: byte order mark, HTTP header, declaration in the
 * page, UTF-8. A declared Latin-1, which is the default of many servers, is overridden by valid UTF-8.
 */
function decodeText(bytes: Uint8Array, charset?: string): string {
  const beginning = latin1(bytes.subarray(0, 2_048));
  const own = (META.exec(beginning) ?? XML.exec(beginning))?.[1];
  // The declaration itself was readable as ASCII, so UTF-16 cannot be right.
  const isWide = own?.toLowerCase().startsWith("utf-16") === true;
  const said = [markIn(bytes), charset, isWide ? "utf-8" : own].flatMap(encodingOf);
  if (said[0] === "windows-1252") said.unshift("utf-8");
  for (const encoding of [...said, "utf-8"]) {
    const text = decoded(bytes, encoding, true);
    if (text !== undefined) return text;
  }
  // Nothing is declared and it is not UTF-8: windows-1252 is the oldest default of the web.
  return decoded(bytes, said[0] ?? "windows-1252", false) ?? "";
}

function markIn([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

/** The name that `TextDecoder` knows; `undefined` for an unknown encoding. */
function encodingOf(label: string | undefined): string[] {
  if (label === undefined) return [];
  return unlessThrown(() => [new TextDecoder(label).encoding]) ?? [];
}

function decoded(bytes: Uint8Array, encoding: string, fatal: boolean): string | undefined {
  return unlessThrown(() => new TextDecoder(encoding, { fatal }).decode(bytes));
}

const MOST_CHARACTERS = 8_000_000;

/** The text of a PDF, page by page. @throws ToolFailure `too_large` for too much text, or the failure of the reader. */
async function pdfToText(pdf: PdfReader, bytes: Uint8Array, signal: AbortSignal) {
  const { pages, total } = await pdf.read(bytes, { signal, maxCharacters: MOST_CHARACTERS });
  if (pages.length < total)
    throw new ToolFailure("too_large", `The PDF has ${total} pages with too much text to return.`);
  const text = pages.map((page, index) => `[page ${index + 1}]\n${page.trim()}`).join("\n\n");
  return { pages: total, text };
}
