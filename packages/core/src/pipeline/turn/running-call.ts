import type { QueuedCall } from "./stage.ts";
import type { Turn } from "./turn.ts";
import { Updates } from "./updates.ts";

/** How one attempt ended. */
export type Attempted =
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "threw"; readonly error: unknown }
  /** It was told to stop. What it returned all the same, if it did so in time. */
  | { readonly kind: "stopped"; readonly why: StopReason; readonly value?: unknown }
  /** It asked the person something and will be run again when the answer is there. */
  | { readonly kind: "parked"; readonly waitingFor: string };

export type StopReason = "cancelled" | "timed_out";

/** One execution: its clock, its signal, and the race between its end and its deadline. */
export class RunningCall {
  readonly call: QueuedCall;
  readonly turn: Turn;
  readonly startedAt: number;
  readonly timeoutMs: number;
  /** Its position among the running calls. */
  index = 0;
  readonly #began: number;
  #deadline: number;
  #durationMs = 0;
  #updates: Updates | undefined;
  #pausedAt = 0;
  #pauses = 0;
  #pausedMs = 0;
  #isOver = false;
  #stopped: StopReason | undefined;
  /** 0 while there is no grace to end. */
  #graceEnds = 0;
  #controller: AbortController | undefined;
  #isParked = false;
  #resolve: ((ended: Attempted) => void) | undefined;

  constructor(call: QueuedCall, turn: Turn) {
    const { tool, config } = call.found;
    const { limits } = turn.runtime;
    this.call = call;
    this.turn = turn;
    this.timeoutMs = turn.timeoutMs ?? config.timeoutMs ?? tool.timeoutMs ?? limits.timeoutMs;
    this.#began = performance.now();
    this.startedAt = Math.round(performance.timeOrigin + this.#began);
    this.#deadline = this.#began + this.timeoutMs;
  }

  get abortSignal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#stopped !== undefined) this.#controller.abort(this.#stopped);
    }
    return this.#controller.signal;
  }

  /** How long it has taken up to the end of the last attempt. */
  get durationMs(): number {
    return this.#durationMs;
  }

  /** Reads the clock at the end of an attempt. */
  lap(): void {
    this.#durationMs = Math.round(performance.now() - this.#began);
  }

  get updates(): Updates {
    this.#updates ??= new Updates(this.call, this.turn);
    return this.#updates;
  }

  /** Shows the update that was delayed last, if there is one. */
  flushUpdates(): void {
    this.#updates?.flush();
  }

  get stopped(): StopReason | undefined {
    return this.#stopped;
  }

  /** Starts the clock of an attempt anew and waits for what comes first: its end, or ours. */
  race(returned: unknown): Promise<Attempted> | Attempted {
    if (!isThenable(returned)) return this.#ended({ kind: "returned", value: returned });
    return new Promise((resolve) => {
      this.#resolve = resolve;
      try {
        returned.then(
          (value) => this.#end({ kind: "returned", value }),
          (error: unknown) => this.#end({ kind: "threw", error }),
        );
      } catch (error) {
        this.#end({ kind: "threw", error });
      }
    });
  }

  /** A new attempt has its own time. */
  restart(): void {
    this.#deadline = performance.now() + this.timeoutMs;
  }

  /** Waiting for a person is not the tool's time. */
  pause(): void {
    this.#pauses += 1;
    if (this.#pauses === 1) this.#pausedAt = performance.now();
  }

  resume(): void {
    this.#pauses -= 1;
    if (this.#pauses > 0) return;
    const paused = performance.now() - this.#pausedAt;
    this.#deadline += paused;
    this.#pausedMs += paused;
  }

  /** The call is settled: what its tool still tries is refused. */
  finish(): void {
    this.#isOver = true;
  }

  get isOver(): boolean {
    return this.#isOver || this.#stopped !== undefined;
  }

  /** A call that reports progress is alive: its timeout starts again, up to the total limit. */
  extend(): void {
    const cap = this.#began + this.#pausedMs + this.turn.runtime.limits.totalTimeoutMs;
    this.#deadline = Math.min(performance.now() + this.timeoutMs, cap);
  }

  tick(now: number): void {
    this.#updates?.tick(now);
    if (this.#stopped !== undefined) {
      if (this.#graceEnds > 0 && now >= this.#graceEnds) this.#cut();
    } else if (this.turn.cancellation.isCancelled) this.stop("cancelled");
    else if (this.#pauses === 0 && now >= this.#deadline) this.stop("timed_out");
  }

  stop(why: StopReason): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = why;
    // A tool that never looked at its signal cannot react to it.
    if (this.#controller === undefined) this.#cut();
    else {
      this.#graceEnds = performance.now() + this.turn.runtime.limits.graceMs;
      this.#controller.abort(why);
    }
  }

  /** Leaves the tool where it is: nothing of this attempt counts. */
  park(waitingFor: string): void {
    this.#resolve?.({ kind: "parked", waitingFor });
    this.#resolve = undefined;
    this.#isParked = true;
  }

  /** The call is settled without the tool; what it still returns is late. */
  #cut(): void {
    this.#graceEnds = 0;
    this.#resolve?.({ kind: "stopped", why: this.#stopped ?? "cancelled" });
    this.#resolve = undefined;
  }

  #end(ended: Attempted): void {
    if (this.#resolve === undefined) {
      if (this.#isParked) return;
      const { id, found } = this.call;
      this.turn.runtime.recorder.write(this.turn.id, { type: "call-late", callId: id, tool: found.name });
      return;
    }
    this.#resolve(this.#ended(ended));
    this.#resolve = undefined;
  }

  #ended(ended: Attempted): Attempted {
    if (this.#stopped === undefined) return ended;
    return ended.kind === "returned"
      ? { kind: "stopped", why: this.#stopped, value: ended.value }
      : { kind: "stopped", why: this.#stopped };
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
