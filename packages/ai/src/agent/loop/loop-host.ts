import type { PersonRequest, ToolCall, TurnOutcome } from "@toolkeep/core";
import type { EndReason } from "../options/agent-event.ts";
import type { Compacted } from "../options/compact.ts";
import type { ModelReply, StepUsage } from "../options/model-reply.ts";
import type { ReceivedMessage } from "../record/steering.ts";

/**
 * Port: what differs between the hosts of the loop. Within a process over any store, a reply is kept with the session;
 * an engine may run each step elsewhere.
 */
export interface LoopHost {
  /**
   * The reply of step `n`: asked for once, kept raw and protected like the arguments of waiting calls, and read back in
   * later lives of the run.
   */
  reply(n: number, ask: (signal: AbortSignal) => Promise<ModelReply>): Promise<ModelReply>;
  /** Records what the user said before step `n`, and returns all of it, also what an earlier life recorded. */
  receive(n: number, messages: readonly ReceivedMessage[]): Promise<readonly string[]>;
  /** The shorter conversation of step `n`, if it has one: made once, and kept like a reply. */
  compact(n: number, make: () => Promise<Compacted | undefined>): Promise<Compacted | undefined>;
  /** The calls of step `n`, as a turn of the session. A turn that began before is resumed. */
  run(n: number, calls: readonly ToolCall[]): Promise<TurnOutcome>;
  /** Where step `n` is made. `elsewhere` ends the loop in this process without ending the run. */
  nextStep(n: number): Promise<"here" | "elsewhere">;
}

/** How the loop ended in this process. */
export interface LoopEnd {
  readonly reason: EndReason;
  readonly text: string;
  readonly step: number;
  readonly usage: StepUsage;
  readonly requests: readonly PersonRequest[];
  /** Why the model could not be asked. */
  readonly error?: unknown;
}
