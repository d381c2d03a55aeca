import type { ClientCall } from "../step.ts";
import type { Around, Fields } from "./clients.ts";

/** A call as Cursor sends it to its hooks. */
export function cursorPayload(call: ClientCall, around: Around): Fields | undefined {
  const event = eventOf(call, around);
  if (event === undefined) return undefined;
  const { conversation, project } = around;
  return {
    ...{ conversation_id: conversation, generation_id: "g", model: "gpt-5", cursor_version: "2.4.1" },
    ...{ workspace_roots: [project], user_email: "ada@example.com", transcript_path: null, ...event },
  };
}

/** Cursor's name of a tool, and its names of the arguments. */
const TOOLS: Readonly<Record<string, readonly [name: string, args: Readonly<Record<string, string>>]>> = {
  Write: ["Write", {}],
  Edit: ["StrReplace", { file_path: "path" }],
  MultiEdit: ["MultiEdit", {}],
  NotebookEdit: ["EditNotebook", { notebook_path: "target_notebook" }],
  Grep: ["Grep", {}],
  Glob: ["Glob", { pattern: "glob_pattern" }],
  LS: ["LS", { path: "target_directory" }],
  WebFetch: ["WebFetch", {}],
  WebSearch: ["WebSearch", { query: "search_term" }],
  Task: ["Task", {}],
  TodoWrite: ["TodoWrite", {}],
};

/** Only Cursor has them. */
const OWN_TOOLS = [
  ...["Delete", "SemanticSearch", "ReadLints", "GenerateImage", "CreatePlan", "ApplyPatch", "Subagent"],
  ...["CallMcpTool", "FetchMcpResource"],
];

/** The first belongs to Claude Code's editor; for the second, Cursor sends the command of its own configuration. */
const NOT_IN_CURSOR = ["ide", "filesystem"];

function eventOf({ tool, input }: ClientCall, { project }: Around): Fields | undefined {
  if (tool === "Bash")
    return {
      hook_event_name: "beforeShellExecution",
      command: input["command"],
      cwd: project,
      sandbox: false,
    };
  if (tool === "Read")
    return {
      hook_event_name: "beforeReadFile",
      file_path: input["file_path"],
      content: "x",
      attachments: [],
    };
  const [, server, name] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? [];
  if (server !== undefined && NOT_IN_CURSOR.includes(server)) return undefined;
  if (server !== undefined)
    return {
      ...{ hook_event_name: "beforeMCPExecution", tool_name: name, tool_input: JSON.stringify(input) },
      url: `https://mcp.${server}.example/sse`,
    };
  const [known, args] = TOOLS[tool] ?? [tool, {} as Readonly<Record<string, string>>];
  if (TOOLS[tool] === undefined && !OWN_TOOLS.includes(tool)) return undefined;
  const own = Object.entries(input).map(([key, value]) => [args[key] ?? key, value]);
  return {
    ...{ hook_event_name: "preToolUse", tool_name: known, tool_input: Object.fromEntries(own) },
    ...{ tool_use_id: "t", cwd: project, agent_message: "x" },
  };
}
