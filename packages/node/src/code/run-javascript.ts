import { ToolFailure } from "@toolkeep/core";
import type { CodeOutcome, CodeProgram } from "@toolkeep/core/ports";
import { runThread, threadProgram } from "../threads/run-thread.ts";
import { BOUNDS, tooSlow } from "./bounds.ts";
import type { JavaScriptOrder } from "./javascript-worker.ts";

/** To start, and to notice the end of its time by itself. */
const GRACE_MS = 1_000;
/** The machine of the program, and copies of what it says. */
const MOST_MEGABYTES = 256;

/**
 * Runs JavaScript in QuickJS, which is WebAssembly and has no access to anything, in a thread of its own, which can be
 * ended. Both end with the call.
 * @throws ToolFailure `unavailable` if the program of the thread is missing or does not start.
 * @throws the reason of the signal once it is aborted.
 */
export async function runJavaScript(
  { code, timeoutMs }: Pick<CodeProgram, "code" | "timeoutMs">,
  signal: AbortSignal,
): Promise<CodeOutcome> {
  const program = threadProgram("javascript-worker", import.meta.url);
  if (program === undefined) throw notRunning();
  const end = await runThread<CodeOutcome>({
    program,
    order: { code, timeoutMs, bounds: BOUNDS, tooSlow: tooSlow(timeoutMs) } satisfies JavaScriptOrder,
    deadlineMs: timeoutMs + GRACE_MS,
    megabytes: MOST_MEGABYTES,
    signal,
  });
  if ("answer" in end) return end.answer;
  if (end.ended === "failed") throw notRunning(end.cause);
  const tooLarge = { message: `It took more than ${MOST_MEGABYTES} MB of memory and was ended.` };
  return { output: "", error: end.ended === "too slow" ? tooSlow(timeoutMs) : tooLarge };
}

function notRunning(cause?: unknown): ToolFailure {
  return new ToolFailure("unavailable", "The thread that runs JavaScript did not start, or ended early.", {
    hint: "If you bundle the library, include `javascript-worker.js` of @toolkeep/node next to it.",
    cause,
  });
}
