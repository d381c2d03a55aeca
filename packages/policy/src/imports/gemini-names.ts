/** The tools of Gemini CLI, by name and by class, and the standard tools that do the same. */
export const GEMINI_TOOLS: Readonly<Record<string, string>> = {
  run_shell_command: "bash",
  ShellTool: "bash",
  read_file: "read",
  ReadFileTool: "read",
  read_many_files: "read",
  ReadManyFilesTool: "read",
  list_directory: "glob",
  LSTool: "glob",
  LsTool: "glob",
  glob: "glob",
  GlobTool: "glob",
  search_file_content: "grep",
  grep_search: "grep",
  GrepTool: "grep",
  RipGrepTool: "grep",
  write_file: "write",
  WriteFileTool: "write",
  replace: "edit",
  EditTool: "edit",
  web_fetch: "web_fetch",
  WebFetchTool: "web_fetch",
  google_web_search: "web_search",
  WebSearchTool: "web_search",
  write_todos: "todo",
  WriteTodosTool: "todo",
  ask_user: "question",
  activate_skill: "skill",
};

/** Fields that narrow a rule in ways that Toolkeep cannot express. */
export const UNKNOWN_CONDITIONS = [
  "argsPattern",
  "commandRegex",
  "subagent",
  "toolAnnotations",
  "interactive",
  "modes",
];

export const KNOWN_FIELDS = new Set([
  ...UNKNOWN_CONDITIONS,
  "toolName",
  "mcpName",
  "commandPrefix",
  "decision",
  "priority",
  "denyMessage",
  "allowRedirection",
]);

export const TOOL_CAPABILITIES: Readonly<Record<string, readonly string[]>> = {
  bash: ["shell.run", "shell.dynamic"],
  read: ["fs.read"],
  write: ["fs.write"],
  edit: ["fs.write"],
  web_fetch: ["net.fetch"],
};

export const TOOL_LISTS = [
  ["core", ["tools", "core"]],
  ["core", ["coreTools"]],
  ["exclude", ["tools", "exclude"]],
  ["exclude", ["excludeTools"]],
  ["allowed", ["tools", "allowed"]],
  ["allowed", ["allowedTools"]],
] as const;

export const LEFT_OUT_SETTINGS = [
  ["mcp"],
  ["mcpServers"],
  ["allowMCPServers"],
  ["excludeMCPServers"],
  ["security"],
  ["tools", "approvalMode"],
  ["tools", "autoAccept"],
  ["general", "defaultApprovalMode"],
  ["autoAccept"],
] as const;
