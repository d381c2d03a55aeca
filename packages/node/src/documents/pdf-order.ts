import type { PdfPages } from "@toolkeep/core/ports";

/** What the thread that reads one PDF is started with. */
export interface PdfOrder {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly limit: number;
  readonly maxCharacters: number;
}

/** What it sends back, once: pages, or why there are none. */
export type PdfAnswer = PdfPages | { readonly error: string };
