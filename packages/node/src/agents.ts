export { type FolderAgents, findAgents } from "./project/agents/find-agents.ts";
export { type FindGuidesOptions, type FoundGuides, findGuides } from "./project/guides/find-guides.ts";
export {
  type ProjectInstructions,
  type ReadInstructionsOptions,
  readInstructions,
} from "./project/instructions/read-instructions.ts";
