import { ToolFailure } from "@toolkeep/core";

/** When one request must be over. */
export interface Deadline {
  /** Aborts with the failure that the tool is to see. */
  readonly signal: AbortSignal;
  /** Must be called once the request is over, however it ended. */
  end(): void;
}

/** @throws ToolFailure `cancelled` for a call that is cancelled already. */
export function startDeadline(callSignal: AbortSignal, timeoutMs: number): Deadline {
  if (callSignal.aborted) throw cancelled();
  const controller = new AbortController();
  const cancel = () => controller.abort(cancelled());
  const timer = setTimeout(() => controller.abort(timedOut(timeoutMs)), timeoutMs);
  // A response that is not read to its end must not keep the process alive.
  timer.unref();
  callSignal.addEventListener("abort", cancel, { once: true });
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      callSignal.removeEventListener("abort", cancel);
    },
  };
}

function cancelled(): ToolFailure {
  return new ToolFailure("cancelled", "The call was cancelled while it used the network.");
}

function timedOut(timeoutMs: number): ToolFailure {
  return new ToolFailure("timed_out", `The request was not over after ${timeoutMs} ms.`, { transient: true });
}

/**
 * The outcome of a promise, or the reason of the signal if that comes first: what waits for a connection or
 * a resolver does not hear of an abort. What the promise comes to later is ignored.
 */
export function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
