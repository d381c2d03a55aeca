import { ToolFailure } from "@toolkeep/core";
import { checkPdfWeight } from "../web/pdf-weight.ts";
import { showBlocks } from "./show-blocks.ts";
import type { TextQuery } from "./show-text.ts";

/** The text of a PDF, page by page. @throws ToolFailure for one that cannot be read, or that holds too much. */
export async function showPdf(bytes: Uint8Array, query: TextQuery, signal: AbortSignal): Promise<string> {
  await checkPdfWeight(bytes, signal);
  // Loaded with the first PDF: it is large.
  const { getDocumentProxy } = await import("unpdf");
  try {
    // A copy: the reader takes its input over.
    const document = await getDocumentProxy(bytes.slice(), QUIET);
    try {
      return await showBlocks(
        {
          what: "page",
          count: document.numPages,
          async block(number) {
            signal.throwIfAborted();
            const page = await document.getPage(number);
            const { items } = await page.getTextContent();
            page.cleanup();
            return items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
          },
        },
        query,
      );
    } finally {
      await document.loadingTask.destroy();
    }
  } catch (error) {
    if (signal.aborted || ToolFailure.isInstance(error)) throw error;
    throw unreadable(query.path, error);
  }
}

/** Says nothing on the console, and fetches nothing beside what it was given. */
const QUIET = { verbosity: 0, useSystemFonts: false, disableFontFace: true } as const;

function unreadable(path: string, cause: unknown): ToolFailure {
  const isLocked = cause instanceof Error && cause.name === "PasswordException";
  const why = isLocked ? "it needs a password" : "it is damaged, or no PDF";
  return new ToolFailure("tool_failed", `${JSON.stringify(path)} could not be read as a PDF: ${why}.`, {
    cause,
  });
}
