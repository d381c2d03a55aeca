import { homedir } from "node:os";
import { join } from "node:path";
import type { HookClient, HookVerdict } from "../hook-call.ts";
import * as own from "../own-tools.ts";
import { fieldsIn, folderFrom, neededText, workingFolder } from "../payload.ts";
import { toolCalls } from "../tool-calls.ts";

/** The user's own instructions, which every conversation of the client begins with. */
const ownMemory = () => join(homedir(), ".claude", "CLAUDE.md");

/** The client's own tools. Any other tool, except those of servers, asks. */
const TOOLS: Readonly<Record<string, own.ToolReading>> = {
  Bash: own.runs(),
  Read: own.unlessKnown({ file: "file_path", known: ownMemory }, own.reads("file_path")),
  Write: own.writes("file_path"),
  Edit: own.edits("file_path"),
  MultiEdit: own.edits("file_path"),
  NotebookEdit: own.edits("notebook_path"),
  NotebookRead: own.reads("notebook_path"),
  Glob: own.looksThrough({ folders: ["path"], patterns: ["pattern"] }),
  LS: own.lists("path"),
  Grep: own.searchesByGlob("path"),
  WebFetch: own.fetches("url"),
  WebSearch: own.searchesTheWeb,
  LSP: own.reads("filePath"),
  ...Object.fromEntries(
    [
      ...["Task", "Agent", "TaskOutput", "TaskStop", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate"],
      ...["BashOutput", "KillShell", "KillBash", "TodoWrite", "TodoRead", "AskUserQuestion"],
      ...["EnterPlanMode", "ExitPlanMode", "ToolSearch", "ListMcpResourcesTool"],
      // Texts that the client has already, messages between its agents, and what the editor knows of the open files.
      ...["Skill", "SlashCommand", "SendMessage", "mcp__ide__getDiagnostics"],
    ].map((name) => [name, own.staysInside]),
  ),
};

/** Claude Code's `PreToolUse`. */
export const claudeCode: HookClient = {
  name: "claude-code",
  read(payload, environment) {
    if (neededText(payload, "hook_event_name") !== "PreToolUse") return undefined;
    const name = neededText(payload, "tool_name");
    const input = fieldsIn(payload, "tool_input");
    const folder = folderFrom(environment["CLAUDE_PROJECT_DIR"], process.cwd());
    return {
      conversation: neededText(payload, "session_id"),
      folder,
      cwd: workingFolder(payload["cwd"], folder),
      label: name,
      canAsk: true,
      ...toolCalls({ name, input }, TOOLS),
      ...(name === "Bash"
        ? { replaceable: { withCommand: (command) => ({ ...input, command }), keepsFolder: true } }
        : {}),
    };
  },
  answer(verdict) {
    if (verdict.action === "none") return { stdout: "{}\n", stderr: "", exitCode: 0 };
    return { stdout: `${JSON.stringify(decision(verdict))}\n`, stderr: "", exitCode: 0 };
  },
};

function decision({ action, reason, input }: HookVerdict) {
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: action,
      permissionDecisionReason: reason,
      ...(input === undefined ? {} : { updatedInput: input }),
    },
  };
}
