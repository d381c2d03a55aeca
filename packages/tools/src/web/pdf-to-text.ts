import { ToolFailure } from "@toolkeep/core";
import { checkPdfWeight } from "./pdf-weight.ts";

export interface PdfText {
  readonly pages: number;
  readonly text: string;
}

const MOST_MS = 15_000;
const MOST_CHARACTERS = 8_000_000;

/**
 * The text of a PDF, page by page.
 * @throws ToolFailure `too_large` for one that holds too much, `tool_failed` for one that cannot be read.
 */
export async function pdfToText(bytes: Uint8Array, signal: AbortSignal): Promise<PdfText> {
  await checkPdfWeight(bytes, signal);
  const until = performance.now() + MOST_MS;
  // Loaded with the first PDF: it is large.
  const { getDocumentProxy } = await import("unpdf");
  // The reader takes the bytes for its own.
  const document = await getDocumentProxy(new Uint8Array(bytes), QUIET).catch(unreadable);
  try {
    let text = "";
    for (let number = 1; number <= document.numPages; number += 1) {
      signal.throwIfAborted();
      if (performance.now() > until || text.length > MOST_CHARACTERS) throw tooLarge(document.numPages);
      const page = await document.getPage(number).catch(unreadable);
      text += `[page ${number}]\n${textOf((await page.getTextContent()).items)}\n\n`;
      page.cleanup();
    }
    return { pages: document.numPages, text: text.trimEnd() };
  } finally {
    await document.loadingTask.destroy();
  }
}

/** Says nothing on the console, compiles nothing, and fetches nothing beside what it was given. */
const QUIET = {
  verbosity: 0,
  isEvalSupported: false,
  useSystemFonts: false,
  disableFontFace: true,
  stopAtErrors: false,
} as const;

function textOf(items: readonly object[]): string {
  return items
    .map((item) =>
      "str" in item && "hasEOL" in item ? `${item.str}${item.hasEOL === true ? "\n" : ""}` : "",
    )
    .join("")
    .trim();
}

function tooLarge(pages: number): ToolFailure {
  return new ToolFailure("too_large", `The PDF has ${pages} pages, which take too long to read.`);
}

function unreadable(cause: unknown): never {
  throw new ToolFailure("tool_failed", "The PDF cannot be read: it is damaged, or it needs a password.", {
    cause,
  });
}
