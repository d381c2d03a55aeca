import type { ModelMessage } from "ai";
import type { ModelReply } from "./model-reply.ts";

/** What `compact` has to work with. */
export interface CompactContext {
  /** Asks the model with messages of its own. Nothing of it becomes part of the conversation. */
  ask(messages: readonly ModelMessage[]): Promise<ModelReply>;
  /** The system prompt, which every step has in addition to the messages. */
  readonly system: string;
  /** How many tokens the last step had as its input, as the provider counted them; 0 before the first step. */
  readonly inputTokens: number;
  readonly signal: AbortSignal;
}

/** A shorter conversation. */
export interface Compacted {
  readonly messages: readonly ModelMessage[];
  /** What was left out, for the journal. Plain JSON. */
  readonly dropped: unknown;
}

/**
 * Makes a conversation shorter before a step, or leaves it as it is (`undefined`). The journal keeps everything; a call
 * and its result must be left out together.
 */
export type Compact = (
  messages: readonly ModelMessage[],
  context: CompactContext,
) => Promise<Compacted | undefined>;
