import type { ToolCall } from "@toolkeep/core";
import type { AssistantModelMessage } from "ai";

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
  /** The model that wrote it, if that is not the first one of the agent. */
  readonly model?: string;
  /** What is wrong with a call that was written as text and could not be read. */
  readonly malformed?: string;
}

/** What one step of the model cost, in tokens. */
export interface StepUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** How many of the input tokens the provider had in its cache. */
  readonly cachedTokens: number;
}
