export type { Compact } from "./agent/options/compact.ts";
export { type CompactionOptions, compaction } from "./compaction/compaction.ts";
export { type ComposedPrompt, composePrompt } from "./prompt/compose-prompt.ts";
export type { PromptFacts, PromptPart, PromptTool } from "./prompt/prompt-part.ts";
export { type PromptOptions, promptParts } from "./prompt/prompt-parts.ts";
export { STANDARD_GUIDES, STANDARD_KITS } from "./prompt/standard-guides.ts";
