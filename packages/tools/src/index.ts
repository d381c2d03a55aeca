export { type PlanMode, planMode } from "./plan-mode.ts";
export { skillIndex } from "./skills/skill-index.ts";
export {
  codeTools,
  type ManagerToolOptions,
  managerTools,
  type StandardToolOptions,
  standardTools,
} from "./toolsets.ts";
export { braveSearch } from "./web/brave-search.ts";
export { exaSearch } from "./web/exa-search.ts";
export { googleSearch } from "./web/google-search.ts";
export type { SearchProvider } from "./web/search-provider.ts";
export { searxngSearch } from "./web/searxng-search.ts";
export { tavilySearch } from "./web/tavily-search.ts";
