/** Only for the other packages of Toolkeep: not public, may change in any release. */
export { editTool } from "./files/edit-tool.ts";
export { listTool } from "./files/list-tool.ts";
export { readTool } from "./files/read-tool.ts";
export { diffTexts } from "./files/unified-diff.ts";
export { writeTool } from "./files/write-tool.ts";
export { globTool } from "./search/glob-tool.ts";
export { grepTool } from "./search/grep-tool.ts";
export { searchTool } from "./search/search-tool.ts";
export { taskTool } from "./session/task-tool.ts";
export { todoTool } from "./session/todo-tool.ts";
export { bashTool } from "./shell/bash-tool.ts";
export { skillTool } from "./skills/skill-tool.ts";
export { toolSearchTool } from "./tool-search/tool-search-tool.ts";
export { webFetchTool } from "./web/web-fetch-tool.ts";
export { webSearchTool } from "./web/web-search-tool.ts";
