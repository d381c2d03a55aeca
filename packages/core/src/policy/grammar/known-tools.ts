/** What an entry on a tool of Claude Code is about here. */
export interface KnownTool {
  readonly tools: readonly string[];
  readonly capabilities?: readonly string[];
  readonly specifier?: "command" | "path" | "host";
}

const FILES = { capabilities: ["fs.write", "fs.delete"], specifier: "path" } as const;

/** By the names of Claude Code's tools. */
export const KNOWN_TOOLS: Readonly<Record<string, KnownTool>> = {
  Bash: { tools: ["bash"], capabilities: ["shell.run"], specifier: "command" },
  Read: { tools: ["read", "glob", "grep"], capabilities: ["fs.read"], specifier: "path" },
  Edit: { tools: ["edit", "write"], ...FILES },
  Write: { tools: ["write"], ...FILES },
  Glob: { tools: ["glob"] },
  Grep: { tools: ["grep"] },
  LS: { tools: ["glob"] },
  WebFetch: { tools: ["web_fetch"], capabilities: ["net.fetch"], specifier: "host" },
  WebSearch: { tools: ["web_search"] },
  Agent: { tools: ["task"] },
  Task: { tools: ["task"] },
  Skill: { tools: ["skill"] },
  TodoWrite: { tools: ["todo"] },
  AskUserQuestion: { tools: ["question"] },
  ToolSearch: { tools: ["tool_search"] },
};
