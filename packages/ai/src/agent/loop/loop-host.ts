import type { ToolCall, TurnOutcome } from "@toolkeep/core";
import type { AssistantModelMessage } from "ai";
import type { Compacted } from "../options/compact.ts";
import type { ReceivedMessage } from "../record/steering.ts";

/** What one step of the model cost, in tokens. */
export interface StepUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** How many of the input tokens the provider had in its cache. */
  readonly cachedTokens: number;
}

/** One reply of a model, as it is kept: plain JSON. */
export interface ModelReply {
  readonly text: string;
  /** The calls that it asks for. Arguments that are not JSON are the text that the model wrote. */
  readonly calls: readonly ToolCall[];
  /** What the provider gets back of it in the next step. */
  readonly messages: readonly AssistantModelMessage[];
  /** Why the model stopped, in the words of the AI SDK: `stop`, `length`, `tool-calls` … */
  readonly finishReason: string;
  readonly usage: StepUsage;
  /** What is wrong with a call that was written as text and could not be read. */
  readonly malformed?: string;
}

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
