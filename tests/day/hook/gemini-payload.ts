import type { ClientCall } from "../step.ts";
import type { Around, Fields } from "./clients.ts";

/** Gemini CLI's name of a tool, and its names of the arguments. */
const TOOLS: Readonly<Record<string, readonly [name: string, args: Readonly<Record<string, string>>]>> = {
  Bash: ["run_shell_command", {}],
  Read: ["read_file", {}],
  Write: ["write_file", {}],
  Edit: ["replace", {}],
  Grep: ["grep_search", { path: "dir_path" }],
  Glob: ["glob", { path: "dir_path" }],
  LS: ["list_directory", { path: "dir_path" }],
  WebFetch: ["web_fetch", {}],
  WebSearch: ["google_web_search", {}],
  TodoWrite: ["write_todos", {}],
};

/** A call as Gemini CLI sends it to its hooks, in every mode alike. */
export function geminiPayload(call: ClientCall, { project, conversation }: Around): Fields | undefined {
  const known = TOOLS[call.tool];
  if (known === undefined) return undefined;
  const [tool_name, args] = known;
  const own = Object.entries(call.input).map(([key, value]) => [args[key] ?? key, value]);
  const tool_input =
    call.tool === "WebFetch" ? { prompt: `Read ${String(call.input["url"])}` } : Object.fromEntries(own);
  return {
    ...{ session_id: conversation, transcript_path: "/x", cwd: project, timestamp: "2026-11-16T00:00:00Z" },
    ...{ hook_event_name: "BeforeTool", tool_name, tool_input },
  };
}
