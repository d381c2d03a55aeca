/** For authors of agent loops and search providers. */
export type { CommandLineOptions } from "./shell/command-line.ts";
export { type ShownToolsOptions, shownTools } from "./tool-search/shown-tools.ts";
export type { GoogleSearchOptions } from "./web/google-search.ts";
export type {
  SearchKey,
  SearchProviderOptions,
  SearchQuestion,
  SearchResult,
} from "./web/search-provider.ts";
export type { SearxngSearchOptions } from "./web/searxng-search.ts";
export type { WebFetchOptions } from "./web/web-fetch-tool.ts";
export type { WebSearchOptions } from "./web/web-search-tool.ts";
