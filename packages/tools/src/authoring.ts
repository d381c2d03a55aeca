/** Each tool by itself and what the tools are made of: for authors of tools, tool sets and search providers. */
export { type EditOptions, editTool } from "./files/edit-tool.ts";
export { listTool } from "./files/list-tool.ts";
export { type ReadOptions, readTool } from "./files/read-tool.ts";
export { createSeenFiles, type SeenFile, type SeenFiles, type SeenPath } from "./files/seen-files.ts";
export { type WriteToolOptions, writeTool } from "./files/write-tool.ts";
export { type GlobToolOptions, globTool } from "./search/glob-tool.ts";
export { type GrepToolOptions, grepTool } from "./search/grep-tool.ts";
export { type SearchToolOptions, searchTool } from "./search/search-tool.ts";
export { askPerson } from "./session/ask-person.ts";
export { limitTaskDepth } from "./session/limit-task-depth.ts";
export { questionTool } from "./session/question-tool.ts";
export { taskTool } from "./session/task-tool.ts";
export { todoTool } from "./session/todo-tool.ts";
export { bashTool } from "./shell/bash-tool.ts";
export type { CommandLineOptions } from "./shell/command-line.ts";
export { skillTool } from "./skills/skill-tool.ts";
export { createToolIndex, type ToolIndex, type ToolMatch } from "./tool-search/create-tool-index.ts";
export { type ShownToolsOptions, shownTools } from "./tool-search/shown-tools.ts";
export type { ToolEntry } from "./tool-search/tool-entry.ts";
export { type ToolSearchOptions, toolSearchTool } from "./tool-search/tool-search-tool.ts";
export type { GoogleSearchOptions } from "./web/google-search.ts";
export type {
  SearchKey,
  SearchProviderOptions,
  SearchQuestion,
  SearchResult,
} from "./web/search-provider.ts";
export type { SearxngSearchOptions } from "./web/searxng-search.ts";
export { type WebFetchOptions, webFetchTool } from "./web/web-fetch-tool.ts";
export { type WebSearchOptions, webSearchTool } from "./web/web-search-tool.ts";
