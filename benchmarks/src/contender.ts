import { argumentTexts, executed, invalidArgumentText } from "./find-text-tool.ts";

/** The measured functions of a contender process. */
export interface Contender<Result = unknown> {
  /** One tool call, from argument text to result. */
  readonly call: (text: string, id: string) => Promise<Result>;
  /** Consumes the result, as part of the call. */
  readonly accept?: (result: Result) => unknown;
  /** Runs untimed before each sample. */
  readonly renew?: () => Promise<void>;
  /** Runs untimed after each chunk of calls. */
  readonly settle?: () => void;
  /** Measured while preparing. */
  readonly facts?: Readonly<Record<string, number>>;
}

/** A request of the harness to a contender process. */
export type ContenderRequest =
  | { readonly kind: "warm" | "sample"; readonly milliseconds: number; readonly parallel: number }
  | { readonly kind: "bytes" };

/** The message of a contender process that is ready. */
export interface ContenderReady {
  readonly validates: boolean;
  readonly facts: Readonly<Record<string, number>>;
}

/** Prepares the contender, proves that it works, then serves samples to the parent process. */
export async function serveContender<Result>(
  prepare: () => Contender<Result> | Promise<Contender<Result>>,
): Promise<void> {
  const contender = await prepare();
  const validates = await checkContender(contender);
  const runner = createRunner(contender);
  process.on("message", (request: ContenderRequest) => {
    void answer(runner, request);
  });
  process.on("disconnect", () => process.exit(0));
  process.send?.({ validates, facts: contender.facts ?? {} } satisfies ContenderReady);
}

interface Runner {
  sample(milliseconds: number, parallel: number): Promise<number>;
  bytes(): Promise<number>;
}

async function answer(runner: Runner, request: ContenderRequest): Promise<void> {
  const value =
    request.kind === "bytes"
      ? await runner.bytes()
      : await runner.sample(request.milliseconds, request.parallel);
  process.send?.(value);
}

/** Throws if the contender does not run the tool. One that runs it with invalid arguments does not validate. */
async function checkContender<Result>({ call, accept }: Contender<Result>): Promise<boolean> {
  const before = executed.count;
  const result = await call(argumentTexts[0] ?? "", "check-valid");
  accept?.(result);
  if (executed.count !== before + 1) throw new Error("the contender did not run the tool");
  await call(invalidArgumentText, "check-invalid").catch(() => undefined);
  return executed.count === before + 1;
}

/** Another program may run while a thread stops, and leaves the caches cold: not too often. */
const CHUNK_NS = 4e6;

const nap = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/**
 * Nanoseconds that this thread has run. The system counts them when a thread stops running, and else only every four
 * milliseconds; so it stops, for as short as it can.
 */
function threadTime(): number {
  Atomics.wait(nap, 0, 0, 0.01);
  const { user, system } = process.threadCpuUsage();
  return (user + system) * 1000;
}

function createRunner<Result>(contender: Contender<Result>): Runner {
  const { call, accept = (result) => result } = contender;
  let serial = 0;
  let chunk = 1;

  // Ids and texts are created outside of the measured time: they are the caller's cost.
  function makeInputs(count: number): { text: string; id: string }[] {
    return Array.from({ length: count }, () => {
      serial += 1;
      return { text: argumentTexts[serial % argumentTexts.length] ?? "", id: `c${serial}` };
    });
  }

  async function runCalls(inputs: readonly { text: string; id: string }[], parallel: number): Promise<void> {
    if (parallel === 1) {
      for (const { text, id } of inputs) accept(await call(text, id));
      return;
    }
    for (let start = 0; start < inputs.length; start += parallel) {
      const together = inputs.slice(start, start + parallel);
      const results = await Promise.all(together.map(({ text, id }) => call(text, id)));
      results.forEach(accept);
    }
  }

  async function timeCalls(count: number, parallel: number): Promise<number> {
    const inputs = makeInputs(count);
    const start = threadTime();
    await runCalls(inputs, parallel);
    const elapsed = threadTime() - start;
    contender.settle?.();
    return elapsed;
  }

  /**
   * Nanoseconds per call over a sample of about this length, taken in chunks of about four milliseconds. What counts is
   * the time that this thread ran: calls wait for nothing, and on a busy machine the clock tells of other programs.
   */
  async function sample(milliseconds: number, parallel: number): Promise<number> {
    await contender.renew?.();
    let calls = 0;
    let elapsed = 0;
    while (elapsed < milliseconds * 1e6) {
      const count = Math.ceil(chunk / parallel) * parallel;
      elapsed += await timeCalls(count, parallel);
      calls += count;
      chunk = Math.max(1, Math.min(10_000, Math.round((CHUNK_NS * calls) / Math.max(1, elapsed))));
    }
    return elapsed / calls;
  }

  /**
   * Bytes allocated per call: growth of the heap over calls between which no collection happens. The harness
   * starts this process with a young generation far larger than what is allocated here, so nothing is freed
   * and the growth is all that was allocated, garbage included.
   */
  async function bytes(): Promise<number> {
    const perCall = await allocatedBy(100);
    const count = Math.max(10, Math.min(20_000, Math.round(24e6 / perCall)));
    const trials: number[] = [];
    for (let trial = 0; trial < 7; trial += 1) trials.push(await allocatedBy(count));
    return trials.toSorted((a, b) => a - b)[3] ?? Number.NaN;
  }

  async function allocatedBy(count: number): Promise<number> {
    const inputs = makeInputs(count);
    globalThis.gc?.();
    const before = process.memoryUsage();
    await runCalls(inputs, 1);
    const after = process.memoryUsage();
    contender.settle?.();
    return (after.heapUsed - before.heapUsed + after.external - before.external) / count;
  }

  return { sample, bytes };
}
