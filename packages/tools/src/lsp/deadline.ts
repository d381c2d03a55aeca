import { ToolFailure } from "@toolkeep/core";

interface Deadline {
  readonly signal: AbortSignal;
  readonly milliseconds: number;
  /** What to say when it is over. */
  readonly late: string;
}

/** @throws ToolFailure `timed_out` after the deadline, `cancelled` if the call is. */
export async function beforeDeadline<Result>(
  work: Promise<Result>,
  { signal, milliseconds, late }: Deadline,
): Promise<Result> {
  const stopped = Promise.withResolvers<never>();
  const hint = "It may still be reading the project. Call again later.";
  const timer = setTimeout(
    () => stopped.reject(new ToolFailure("timed_out", `${late} within ${milliseconds / 1_000} s.`, { hint })),
    milliseconds,
  );
  const onAbort = () => stopped.reject(new ToolFailure("cancelled", "The call was cancelled."));
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([work, stopped.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}
