import { existsSync } from "node:fs";
import { ToolFailure } from "@toolkeep/core";
import { invalidOption } from "@toolkeep/core/internal";
import type { PdfPages, PdfReader } from "@toolkeep/core/ports";
import { runThread, threadProgram } from "../threads/run-thread.ts";
import type { PdfAnswer, PdfOrder } from "./pdf-worker.ts";

export interface PdfReaderOptions {
  /** From the start to the last page. Default: 10 seconds. */
  readonly deadlineMs?: number;
  /** Where `pdf-worker.js` is, for a bundle that moved it. */
  readonly program?: string;
}

const MOST_MEGABYTES = 256;
/**
 * Reads each PDF in a thread of its own, which is ended at a deadline, when it is aborted, or when it takes too much
 * memory: a PDF of two kilobytes can keep its reader busy for days without yielding. Needs the package `unpdf`, which is
 * an optional peer dependency.
 * @throws ToolkeepError `invalid_option` for an invalid deadline, or if `unpdf` or the thread's program is missing.
 */
export function pdfReader({ deadlineMs = 10_000, program }: PdfReaderOptions = {}): PdfReader {
  if (!Number.isSafeInteger(deadlineMs) || deadlineMs < 1)
    throw invalidOption("`deadlineMs` must be a whole number, at least 1.");
  assertInstalled();
  const path = workerProgram(program);
  return {
    async read(bytes, query) {
      // A copy: the thread takes ownership of it, and of nothing next to it in memory.
      const copy = new Uint8Array(bytes);
      const { from = 1, limit = Number.MAX_SAFE_INTEGER, maxCharacters, signal } = query;
      const end = await runThread<PdfAnswer>({
        program: path,
        order: { bytes: copy, from, limit, maxCharacters } satisfies PdfOrder,
        transfer: [copy.buffer],
        deadlineMs,
        megabytes: MOST_MEGABYTES,
        signal,
      });
      if ("answer" in end) return pagesIn(end.answer);
      if (end.ended === "failed") throw notRunning(end.cause);
      throw end.ended === "too slow" ? tooSlow(deadlineMs) : tooLarge();
    },
  };
}

function pagesIn(answer: PdfAnswer): PdfPages {
  if ("error" in answer) throw new ToolFailure("tool_failed", `The PDF cannot be read: ${answer.error}.`);
  return answer;
}

function assertInstalled(): void {
  try {
    import.meta.resolve("unpdf");
  } catch (cause) {
    const message = "Reading PDFs needs the package unpdf. Run `npm install unpdf`.";
    throw invalidOption(message, { cause });
  }
}

function workerProgram(given: string | undefined): string {
  const program = given ?? threadProgram("pdf-worker", import.meta.url);
  if (program !== undefined && existsSync(program)) return program;
  throw invalidOption(
    "The program that reads PDFs is missing. If you bundle the library, include `pdf-worker.js` of @toolkeep/node and set its path with `program`.",
  );
}

function tooSlow(deadlineMs: number): ToolFailure {
  return new ToolFailure("timed_out", `The PDF could not be read within ${deadlineMs} ms.`, {
    hint: "Ask for fewer pages, or look for the same text elsewhere.",
  });
}

function tooLarge(): ToolFailure {
  return new ToolFailure("too_large", `The PDF takes more than ${MOST_MEGABYTES} MB of memory to read.`, {
    hint: "Look for the same text elsewhere.",
  });
}

function notRunning(cause?: unknown): ToolFailure {
  return new ToolFailure("unavailable", "The reader of PDFs ended before it answered.", { cause });
}
