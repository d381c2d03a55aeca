import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Transferable, Worker } from "node:worker_threads";

export interface ThreadOptions {
  /** Where its program is. It answers with one message. */
  readonly program: string;
  readonly order: unknown;
  /** What of the order the thread takes over. */
  readonly transfer?: readonly Transferable[];
  readonly deadlineMs: number;
  readonly megabytes: number;
  readonly signal: AbortSignal;
}

/** What a thread answered, or why it did not. */
export type ThreadEnd<Answer> =
  | { readonly answer: Answer }
  | { readonly ended: "too slow" | "too large" }
  | { readonly ended: "failed"; readonly cause?: unknown };

const LOOK_EVERY_MS = 20;

/**
 * Runs a program in a thread of its own, without environment and arguments. It is ended at a deadline, when it is
 * aborted, or when it takes too much memory.
 * @throws the reason of the signal once it is aborted.
 */
export async function runThread<Answer>(options: ThreadOptions): Promise<ThreadEnd<Answer>> {
  options.signal.throwIfAborted();
  const { program, order, transfer = [], megabytes } = options;
  const worker = new Worker(program, {
    workerData: order,
    transferList: [...transfer],
    env: {},
    argv: [],
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: megabytes },
  });
  worker.stdout.resume();
  worker.stderr.resume();
  const watch = new AbortController();
  try {
    return await endOf<Answer>(worker, options, watch.signal);
  } finally {
    watch.abort();
    // Not waited for: the deadline applies even if the thread takes its time to end.
    worker.terminate().catch(() => {});
  }
}

/** Nothing is watched once `known` is aborted. */
function endOf<Answer>(
  worker: Worker,
  { deadlineMs, megabytes, signal }: ThreadOptions,
  known: AbortSignal,
): Promise<ThreadEnd<Answer>> {
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => resolve({ ended: "too slow" }), deadlineMs);
    const look = setInterval(() => {
      heldMegabytes(worker).then(
        (held) => held > megabytes && resolve({ ended: "too large" }),
        () => {},
      );
    }, LOOK_EVERY_MS);
    known.addEventListener("abort", () => {
      clearTimeout(deadline);
      clearInterval(look);
    });
    signal.addEventListener("abort", () => reject(signal.reason), { signal: known });
    worker.once("message", (answer: Answer) => resolve({ answer }));
    worker.on("error", (cause) =>
      resolve(isOutOfMemory(cause) ? { ended: "too large" } : { ended: "failed", cause }),
    );
    worker.once("exit", () => resolve({ ended: "failed" }));
  });
}

/** Memory outside the heap, which the limits of a thread do not count. Fails for a thread that is ending. */
async function heldMegabytes(worker: Worker): Promise<number> {
  const { external_memory: held } = await worker.getHeapStatistics();
  return held / 1_000_000;
}

function isOutOfMemory(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "ERR_WORKER_OUT_OF_MEMORY";
}

/** A thread's program: next to its starter in the sources, next to the entry point or above its chunks once built. */
export function threadProgram(name: string, from: string): string | undefined {
  const places = from.endsWith(".ts") ? [`./${name}.ts`] : [`./${name}.js`, `../${name}.js`];
  return places.map((place) => fileURLToPath(new URL(place, from))).find((path) => existsSync(path));
}
