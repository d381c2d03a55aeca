export { type FolderAgents, findAgents } from "./agents/find-agents.ts";
