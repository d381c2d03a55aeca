import { homedir } from "node:os";
import { join } from "node:path";
import { type ClientMode, UNKNOWN_MODE } from "../../clients/client-mode.ts";
import type { CallReport, Environment, HookCall, HookClient, HookVerdict } from "../../clients/hook-call.ts";
import {
  type Fields,
  fieldsIn,
  folderFrom,
  isFields,
  neededText,
  textIn,
  workingFolder,
} from "../../clients/payload.ts";
import { MODES } from "./claude-modes.ts";
import { copilotCall, isOfCopilot } from "./copilot.ts";
import { reads, unlessKnown } from "./own-tools.ts";
import { toolCalls, toolsOf } from "./tool-calls.ts";

/** The user's own instructions, which every conversation of the client begins with. */
const ownMemory = () => join(homedir(), ".claude", "CLAUDE.md");

/**
 * The client's own tools. Any other tool, except those of servers, asks. Skills are texts that the client has already,
 * messages go between its agents, and diagnostics are what the editor knows of the open files.
 */
const TOOLS = toolsOf("claude-code", {
  Read: unlessKnown({ file: "file_path", known: ownMemory }, reads("file_path")),
});

/** Its events after a call. A user's "No" in its dialog fires none, so that outcome stays unknown. */
const OUTCOMES: Readonly<Record<string, CallReport["outcome"]>> = {
  PostToolUse: "ran",
  PostToolUseFailure: "failed",
  PermissionDenied: "refused",
};

/** Claude Code's `PreToolUse`, and `PermissionRequest`, before it asks its user. */
export const claudeCode: HookClient = {
  name: "claude-code",
  read(payload, environment) {
    const event = neededText(payload, "hook_event_name");
    if (event !== "PreToolUse" && event !== "PermissionRequest") return undefined;
    if (event === "PreToolUse" && isOfCopilot(payload)) return copilotCall(payload, environment);
    const clientMode = modeIn(payload, environment);
    const callId = textIn(payload, "tool_use_id");
    const name = neededText(payload, "tool_name");
    const input = fieldsIn(payload, "tool_input");
    const folder = folderFrom(environment["CLAUDE_PROJECT_DIR"], process.cwd());
    return {
      conversation: neededText(payload, "session_id"),
      folder,
      cwd: workingFolder(payload["cwd"], folder),
      label: name,
      canAsk: true,
      clientMode,
      isRepeated: event === "PermissionRequest",
      ...(callId === undefined ? {} : { callId }),
      ...fromConfiguration(toolCalls({ name, input }, TOOLS), payload["mcp_server"]),
      ...(name === "Bash" && event === "PreToolUse" && !clientMode.isReadOnly
        ? { replaceable: { input, keepsFolder: true } }
        : {}),
    };
  },
  report(payload, environment) {
    const event = neededText(payload, "hook_event_name");
    const outcome = Object.hasOwn(OUTCOMES, event) ? OUTCOMES[event] : undefined;
    const callId = textIn(payload, "tool_use_id");
    if (outcome === undefined || callId === undefined) return undefined;
    const response = payload["tool_response"];
    // A command in the background is reported when it starts.
    const isStarted = isFields(response) && "backgroundTaskId" in response;
    return {
      conversation: neededText(payload, "session_id"),
      folder: folderFrom(environment["CLAUDE_PROJECT_DIR"], process.cwd()),
      callId,
      outcome: outcome === "ran" && isStarted ? "started" : outcome,
      isInterrupted: payload["is_interrupt"] === true,
    };
  },
  answer(verdict, payload) {
    if (payload["hook_event_name"] === "PermissionRequest") return permission(verdict);
    if (verdict.alarm !== undefined) return alarm(verdict.alarm);
    const isLeft = verdict.action === "allow" && isOfCopilot(payload);
    return verdict.action === "none" || isLeft ? {} : decision(verdict);
  },
};

/** Where servers that a file names come from. One of the command line may have the name of another. */
const CONFIGURED: ReadonlySet<unknown> = new Set(["project", "local", "user"]);

function fromConfiguration({ calls, remote }: ReadCall, server: unknown): ReadCall {
  if (remote === undefined || !isFields(server) || CONFIGURED.has(server["source"]))
    return { calls, ...(remote === undefined ? {} : { remote }) };
  return { calls, remote: { ...remote, isUnconfigured: true } };
}

type ReadCall = Pick<HookCall, "calls" | "remote">;

/** A hook that allows here answers for the user, so ours only denies. */
function permission({ action, reason }: HookVerdict): Fields {
  if (action !== "deny") return {};
  const decision = { behavior: "deny", message: reason };
  return { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } };
}

/** The reason is for the model, the message for the user. The call has run. */
function alarm(text: string): Fields {
  return { decision: "block", reason: text, systemMessage: text };
}

function decision({ action, reason, input }: HookVerdict): Fields {
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: action,
      permissionDecisionReason: reason,
      ...(input === undefined ? {} : { updatedInput: input }),
    },
  };
}

/** The mode of a payload. Without a terminal the client says so in the environment of its hooks. */
function modeIn(payload: Fields, environment: Environment): ClientMode {
  const name = textIn(payload, "permission_mode") ?? UNKNOWN_MODE.name;
  const known = Object.hasOwn(MODES, name) ? MODES[name] : {};
  const isAttended = environment["CLAUDE_CODE_SESSION_ATTENDED"] !== "0";
  const mode = { ...UNKNOWN_MODE, name, ...known };
  return isAttended ? mode : { ...mode, hasPerson: false };
}
