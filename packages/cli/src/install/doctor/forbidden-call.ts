import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import type { InstallClientName } from "../../clients/install-client.ts";

/** A call as a client hands it to its hook. */
export interface PlayedCall {
  readonly payload: Readonly<Record<string, unknown>>;
  /** What the client sets for its hooks. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Reads a key that does not exist. It is never run, and would do nothing if it were. */
const forbiddenCommand = () => `cat ${join(homedir(), ".ssh", "toolkeep-doctor")}`;

/** The forbidden call in the format of each client that has hooks. Each has a conversation of its own. */
export function forbiddenCall(client: InstallClientName, project: string): PlayedCall | undefined {
  const command = forbiddenCommand();
  const id = `toolkeep-doctor-${randomUUID()}`;
  const input = { command, description: "A test call of toolkeep doctor" };
  const tool = { tool_name: "Bash", tool_input: input, tool_use_id: id, hook_event_name: "PreToolUse" };
  const common = { session_id: id, cwd: project, transcript_path: join(project, `${id}.jsonl`) };
  switch (client) {
    case "claude-code":
      return {
        payload: { ...common, permission_mode: "default", ...tool },
        environment: { CLAUDE_PROJECT_DIR: project, CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: id },
      };
    case "codex":
      return { payload: { ...common, turn_id: id, permission_mode: "default", ...tool }, environment: {} };
    case "cursor":
      return {
        payload: {
          ...{ conversation_id: id, generation_id: id, hook_event_name: "beforeShellExecution" },
          ...{ workspace_roots: [project], command, cwd: project, sandbox: false },
        },
        environment: { CURSOR_PROJECT_DIR: project },
      };
    case "copilot":
      return {
        payload: { sessionId: id, timestamp: Date.now(), cwd: project, toolName: "bash", toolArgs: input },
        environment: {},
      };
    case "opencode":
      return { payload: { tool: "bash", sessionID: id, callID: id, args: input }, environment: {} };
    case "vscode":
      return undefined;
  }
}
