import { isAbsolute, join } from "node:path";
import { runHook } from "../../../packages/cli/src/hooks/answer/run-hook.ts";
import type { Clone } from "./clone.ts";
import type { ClientCall, HookRecord } from "./record.ts";

/** What a client is told about one call. */
export interface HookWord {
  readonly action: "allow" | "ask" | "deny";
  readonly reason: string;
}

/** The hook's answer to a call, as the client asks for it; nothing is configured, so the recommended policy decides. */
export async function askHook(
  call: ClientCall,
  { client = "claude-code" }: HookRecord,
  { workspace, conversation }: { readonly workspace: string; readonly conversation: string },
): Promise<HookWord> {
  const payload = PAYLOADS[client](placed(call, workspace), { workspace, conversation });
  const variable = client === "gemini-cli" ? "GEMINI_PROJECT_DIR" : "CLAUDE_PROJECT_DIR";
  const { exitCode, stdout, stderr } = await runHook({
    client,
    text: JSON.stringify(payload),
    environment: { [variable]: workspace },
    ...(client === "codex" ? { folder: workspace } : {}),
  });
  if (exitCode !== 0) return { action: "deny", reason: stderr };
  return wordIn(JSON.parse(stdout));
}

type Payload = Readonly<Record<string, unknown>>;
type Around = { readonly workspace: string; readonly conversation: string };

const PAYLOADS: Readonly<
  Record<NonNullable<HookRecord["client"]>, (call: Placed, around: Around) => Payload>
> = {
  "claude-code": ({ tool = "Bash", input, cwd }, { conversation }) => ({
    ...{ hook_event_name: "PreToolUse", session_id: conversation, cwd },
    ...{ tool_name: tool, tool_input: input },
  }),
  "gemini-cli": ({ tool = "run_shell_command", input, cwd }, { conversation }) => ({
    ...{ hook_event_name: "BeforeTool", session_id: conversation, cwd },
    ...{ tool_name: tool, tool_input: input },
  }),
  codex: ({ tool = "Bash", input, cwd }, { conversation }) => ({
    ...{ hook_event_name: "PreToolUse", session_id: conversation, cwd, tool_use_id: conversation },
    ...{ permission_mode: "default", tool_name: tool, tool_input: input },
  }),
  copilot: ({ tool = "bash", input, cwd }, { conversation }) => ({
    ...{ sessionId: conversation, timestamp: 1, cwd, toolName: tool, toolArgs: input },
  }),
  opencode: ({ tool = "bash", input }, { workspace, conversation }) => ({
    ...{ event: "tool.execute.before", sessionID: conversation, callID: conversation },
    ...{ directory: workspace, tool, args: input },
  }),
  cursor: ({ tool, input, cwd }, { workspace, conversation }) => ({
    ...{ conversation_id: conversation, workspace_roots: [workspace], cwd },
    ...(tool === undefined
      ? { hook_event_name: "beforeShellExecution", command: input["command"] }
      : tool === "Read"
        ? { hook_event_name: "beforeReadFile", file_path: input["file_path"] }
        : { hook_event_name: "preToolUse", tool_name: tool, tool_input: input }),
  }),
};

interface Placed {
  /** Left out: the client's shell. */
  readonly tool?: string;
  readonly input: Readonly<Record<string, string>>;
  readonly cwd: string;
}

function placed(call: ClientCall, workspace: string): Placed {
  if (typeof call === "string") return { input: { command: call }, cwd: workspace };
  if ("tool" in call) {
    const input = Object.entries(call.input).map(([name, value]) => [
      name,
      value.replaceAll("{W}", workspace),
    ]);
    return { tool: call.tool, input: Object.fromEntries(input), cwd: workspace };
  }
  const { line, cwd = "", directory } = call;
  return {
    input: { command: line, ...(directory === undefined ? {} : { directory }) },
    cwd: isAbsolute(cwd) ? cwd : join(workspace, cwd),
  };
}

/** Where the line of a call runs. */
export function cwdOf(call: ClientCall, { workspace }: Pick<Clone, "workspace">): string {
  if (typeof call === "string" || "tool" in call) return workspace;
  return join(workspace, call.cwd ?? "", call.directory ?? "");
}

function wordIn(answer: {
  readonly hookSpecificOutput?: {
    readonly permissionDecision: string;
    readonly permissionDecisionReason: string;
  };
  readonly decision?: string;
  readonly permission?: string;
  readonly permissionDecision?: string;
  /** opencode's. */
  readonly action?: string;
  readonly reason?: string;
  readonly agent_message?: string;
}): HookWord {
  const said = answer.hookSpecificOutput;
  const ofPlugin = answer.action === "none" ? "allow" : answer.action;
  const action =
    said?.permissionDecision ??
    answer.permissionDecision ??
    answer.decision ??
    answer.permission ??
    ofPlugin ??
    "allow";
  const reason = said?.permissionDecisionReason ?? answer.reason ?? answer.agent_message ?? "";
  if (action !== "allow" && action !== "ask" && action !== "deny") throw new Error(`the hook said ${action}`);
  return { action, reason };
}
