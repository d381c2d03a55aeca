import { existsSync, readFileSync } from "node:fs";
import type { ClientCall } from "../step.ts";
import type { Around, Fields } from "./clients.ts";

/** A call as Codex sends it to its hooks in `codex exec`, where it asks about nothing. */
export function codexPayload(call: ClientCall, { project, conversation }: Around): Fields | undefined {
  const made = toolOf(call);
  if (made === undefined) return undefined;
  const [tool_name, tool_input] = made;
  return {
    ...{ session_id: conversation, turn_id: "turn", transcript_path: "/x", cwd: project, model: "gpt-5.5" },
    ...{ hook_event_name: "PreToolUse", permission_mode: "bypassPermissions", tool_use_id: "t" },
    ...{ tool_name, tool_input },
  };
}

/** It reads and searches by commands, and has no tools for the rest. */
function toolOf({ tool, input }: ClientCall): readonly [name: string, input: Fields] | undefined {
  const path = String(input["file_path"]);
  const run = (command: unknown) => ["Bash", { command }] as const;
  const patch = (lines: readonly string[]) =>
    ["apply_patch", { command: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") }] as const;
  if (tool === "Bash") return run(input["command"]);
  if (tool === "Read") return run(`cat ${quoted(path)}`);
  if (tool === "Grep") return run(`rg ${quoted(input["pattern"])} ${quoted(input["path"] ?? ".")}`);
  if (tool === "Write") return patch([`*** Add File: ${path}`, ...marked("+", input["content"])]);
  if (tool === "Edit") {
    const [before, after] = editedLines(path, String(input["old_string"]), String(input["new_string"]));
    return patch([`*** Update File: ${path}`, "@@", ...marked("-", before), ...marked("+", after)]);
  }
  return tool.startsWith("mcp__") ? [tool, input] : undefined;
}

function quoted(text: unknown): string {
  return `'${String(text).replaceAll("'", "'\\''")}'`;
}

function marked(mark: string, text: unknown): readonly string[] {
  return String(text)
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `${mark}${line}`);
}

/** A patch has whole lines. */
function editedLines(path: string, before: string, after: string): readonly [string, string] {
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
  const line = lines.find((one) => one.includes(before)) ?? before;
  return [line, line.replace(before, () => after)];
}
