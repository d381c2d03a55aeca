/** Port: reads the text of PDFs. What is in them was written by others: must not run where it can stop the session. */
export interface PdfReader {
  /**
   * The text of pages in a row, as many as were asked for.
   * @throws ToolFailure `too_large`, `timed_out` or `unavailable`; `tool_failed` for one that cannot be read.
   * @throws the reason of the signal once it is aborted.
   */
  read(bytes: Uint8Array, query: PdfQuery): Promise<PdfPages>;
}

/** Which pages of a PDF file to read. */
export interface PdfQuery {
  readonly signal: AbortSignal;
  /** The first page is 1, also where it is left out. */
  readonly from?: number;
  /** How many pages at most. All where it is left out. */
  readonly limit?: number;
  /** Nothing follows the page that reaches so many, and a page is cut to as many. */
  readonly maxCharacters: number;
}

/** Text of pages of a PDF file. */
export interface PdfPages {
  /** The text of each page that was read, from the one that was asked for. */
  readonly pages: readonly string[];
  /** How many pages there are in the PDF. */
  readonly total: number;
}
