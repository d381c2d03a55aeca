import type { StepUsage } from "../agent/options/model-reply.ts";

/**
 * What was left out of a conversation, as the journal has it: `before` minus the tokens of all `parts` plus `added` is
 * `after`. Tokens are estimated.
 */
export interface CompactionRecord {
  readonly window: number;
  /** The tokens of the messages before and after. */
  readonly before: number;
  readonly after: number;
  /** The tokens of what stands there instead: notes and the summary. */
  readonly added: number;
  readonly parts: readonly DroppedPart[];
  /** Missing where leaving out results was enough. */
  readonly summary?: RecordedSummary;
}

/** A part of a conversation that was left out. */
export interface DroppedPart {
  /** `result`: the call is still there, with a note. `message`: it is part of the summary. */
  readonly kind: "result" | "message";
  readonly role: "user" | "assistant" | "tool" | "system";
  readonly tokens: number;
  /** The calls or results that it had. */
  readonly callIds: readonly string[];
}

/** The summary of the messages that were left out. */
export interface RecordedSummary {
  readonly text: string;
  readonly tokens: number;
  /** Whether it was made from content that came from tools. It is then marked as such for the model. */
  readonly isUntrusted: boolean;
  /** What the summary cost. */
  readonly usage: StepUsage;
}
