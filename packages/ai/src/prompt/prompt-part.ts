/**
 * One part of a system prompt.
 *
 * @example
 * const tone: PromptPart = { name: "tone", text: () => "Answer briefly." };
 */
export interface PromptPart {
  /** Names the part where the prompt is measured. Unique within a prompt. */
  readonly name: string;
  /** The text of the part. An empty text leaves it out. Must be the same for the same facts, or prompt caches miss. */
  text(facts: PromptFacts): string | Promise<string>;
}

/** What the parts of a prompt can depend on. */
export interface PromptFacts {
  /** The tools that the model can use: those of the session, without those of which its policy denies every call. */
  readonly tools: readonly PromptTool[];
}

/** A tool as far as a prompt is concerned. */
export interface PromptTool {
  readonly name: string;
  readonly description: string;
}
