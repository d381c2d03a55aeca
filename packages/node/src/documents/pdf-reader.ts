import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { ToolFailure } from "@toolkeep/core";
import { invalidOption } from "@toolkeep/core/internal";
import type { PdfPages, PdfQuery, PdfReader } from "@toolkeep/core/ports";
import type { PdfAnswer, PdfOrder } from "./pdf-worker.ts";

export interface PdfReaderOptions {
  /** From the start to the last page. Default: 10 seconds. */
  readonly deadlineMs?: number;
  /** Where `pdf-worker.js` is, for a bundle that moved it. */
  readonly program?: string;
}

const MOST_MEGABYTES = 256;
const LOOK_EVERY_MS = 20;

/** Next to this file in the sources; next to the entry point, or a folder above its chunks, once it is built. */
const PLACES = import.meta.url.endsWith(".ts")
  ? [new URL("./pdf-worker.ts", import.meta.url)]
  : [new URL("./pdf-worker.js", import.meta.url), new URL("../pdf-worker.js", import.meta.url)];

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
      query.signal.throwIfAborted();
      const worker = startWorker(path, bytes, query);
      const watch = new AbortController();
      try {
        return await outcome(worker, { deadlineMs, signal: query.signal, ended: watch.signal });
      } finally {
        watch.abort();
        // Not waited for: the deadline applies even if the thread takes its time to end.
        worker.terminate().catch(() => {});
      }
    },
  };
}

function startWorker(path: string, bytes: Uint8Array, query: PdfQuery): Worker {
  // A copy: the thread takes ownership of it, and of nothing next to it in memory.
  const copy = new Uint8Array(bytes);
  const { from = 1, limit = Number.MAX_SAFE_INTEGER, maxCharacters } = query;
  const worker = new Worker(path, {
    workerData: { bytes: copy, from, limit, maxCharacters } satisfies PdfOrder,
    transferList: [copy.buffer],
    env: {},
    argv: [],
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
  });
  worker.stdout.resume();
  worker.stderr.resume();
  return worker;
}

interface Watched {
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** Aborted once the outcome is known: nothing is watched after it. */
  readonly ended: AbortSignal;
}

function outcome(worker: Worker, { deadlineMs, signal, ended }: Watched): Promise<PdfPages> {
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => reject(tooSlow(deadlineMs)), deadlineMs);
    const look = setInterval(() => {
      heldMegabytes(worker).then((held) => held > MOST_MEGABYTES && reject(tooLarge()), ignore);
    }, LOOK_EVERY_MS);
    ended.addEventListener("abort", () => {
      clearTimeout(deadline);
      clearInterval(look);
    });
    signal.addEventListener("abort", () => reject(signal.reason), { signal: ended });
    worker.once("message", (answer: PdfAnswer) => {
      if ("error" in answer)
        reject(new ToolFailure("tool_failed", `The PDF cannot be read: ${answer.error}.`));
      else resolve(answer);
    });
    worker.on("error", (cause) => reject(isOutOfMemory(cause) ? tooLarge() : notRunning(cause)));
    worker.once("exit", () => reject(notRunning()));
  });
}

/** Memory outside the heap, which the limits of a thread do not count. */
async function heldMegabytes(worker: Worker): Promise<number> {
  const { external_memory: held } = await worker.getHeapStatistics();
  return held / 1_000_000;
}

/** A thread that is ending cannot be asked. */
function ignore(): void {}

function isOutOfMemory(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "ERR_WORKER_OUT_OF_MEMORY";
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
  const program = given ?? PLACES.map((url) => fileURLToPath(url)).find((path) => existsSync(path));
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
