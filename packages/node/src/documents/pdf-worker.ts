import { parentPort, workerData } from "node:worker_threads";
import type { PdfPages } from "@toolkeep/core/ports";
import { getDocumentProxy } from "unpdf";

/** Prints nothing on the console, compiles nothing, and fetches nothing besides what it was given. */
const QUIET = { verbosity: 0, isEvalSupported: false, useSystemFonts: false, disableFontFace: true } as const;

parentPort?.postMessage(await answer(workerData as PdfOrder));

async function answer(order: PdfOrder): Promise<PdfAnswer> {
  try {
    return await pagesOf(order);
  } catch (error) {
    const isLocked = error instanceof Error && error.name === "PasswordException";
    return { error: isLocked ? "it needs a password" : "it is damaged, or no PDF" };
  }
}

async function pagesOf({ bytes, from, limit, maxCharacters }: PdfOrder): Promise<PdfAnswer> {
  const document = await getDocumentProxy(bytes, QUIET);
  const total = document.numPages;
  const pages: string[] = [];
  let left = maxCharacters;
  for (let number = from; number <= total && pages.length < limit && left > 0; number += 1) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    page.cleanup();
    const text = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
    pages.push(text.slice(0, maxCharacters));
    left -= text.length;
  }
  return { pages, total };
}

/** What the thread that reads one PDF is started with. */
export interface PdfOrder {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly limit: number;
  readonly maxCharacters: number;
}

/** What it sends back, once: pages, or why there are none. */
export type PdfAnswer = PdfPages | { readonly error: string };
