export { type FolderAgents, findAgents } from "./agents/find-agents.ts";
export { type FindGuidesOptions, type FoundGuides, findGuides } from "./guides/find-guides.ts";
export {
  type ProjectInstructions,
  type ReadInstructionsOptions,
  readInstructions,
} from "./instructions/read-instructions.ts";
