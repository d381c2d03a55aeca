import { type ClientMode, UNKNOWN_MODE } from "../../clients/client-mode.ts";
import type { Environment, HookCall, HookClient } from "../../clients/hook-call.ts";
import {
  type Fields,
  fieldsIn,
  folderFrom,
  neededText,
  textIn,
  workingFolder,
} from "../../clients/payload.ts";
import type { ToolReading } from "./own-tools.ts";
import { toolCalls, toolsOf } from "./tool-calls.ts";

/** The client's own tools, as its version 1.0.102 named them on 16 November 2026. */
const TOOLS = toolsOf("copilot", { sql: queriesItself });

/** What opens another database than the one of the conversation, or a file. */
const LEAVES_DATABASE =
  /\battach(?:\s+database\b|\s*[^\sa-z])|\b(?:vacuum|load_extension|readfile|writefile)\b/i;

/** A query of the client's own database of the conversation. */
function queriesItself(input: Fields): ReturnType<ToolReading> {
  const query = textIn(input, "query");
  return query === undefined || LEAVES_DATABASE.test(query) ? undefined : [];
}

/** The names of the tools in the payloads that have the format of Claude Code. Their arguments stay Copilot's. */
const CLAUDE_NAMES: ReadonlyMap<string, string> = new Map([
  ...(["Bash", "Edit", "Grep", "Glob"] as const).map((name) => [name, name.toLowerCase()] as const),
  ["Read", "view"],
  ["Write", "create"],
  ["Agent", "task"],
  ["Task", "task"],
  ["WebFetch", "web_fetch"],
  ["WebSearch", "web_search"],
]);

/** It does not say its mode. It asks by itself about what is mild; where it does not, its user chose so. */
const MODE: ClientMode = { ...UNKNOWN_MODE, isMildLeft: true };

/**
 * Copilot CLI's `preToolUse`. Its rules and its user decide about everything that is not denied or asked here: the hook
 * never says `allow`, because it does not know what the user denies on the client's command line.
 */
export const copilot: HookClient = {
  name: "copilot",
  read(payload, environment) {
    const name = neededText(payload, "toolName");
    // The events after a call have its result, and the one of a permission its name.
    if ("toolResult" in payload || "hookName" in payload) return undefined;
    const input = argumentsOf(payload, name);
    // A subagent has a session of its own. What it reads comes back to the agent that started it.
    const conversation = textIn(payload, "parentAgentId") ?? neededText(payload, "sessionId");
    return {
      ...callOf({ conversation, name, input, cwd: payload["cwd"] }, environment),
      ...(name === "bash" && endsWithItself(input)
        ? { replaceable: { input, keepsFolder: false, byName: true } }
        : {}),
    };
  },
  answer({ action, reason, input }) {
    if (action === "deny" || action === "ask")
      return { permissionDecision: action, permissionDecisionReason: reason };
    return input === undefined ? {} : { modifiedArgs: input };
  },
};

/** The tool for patches may get the text alone. */
function argumentsOf(payload: Fields, name: string): Fields {
  const text = payload["toolArgs"];
  const isPatch = name === "apply_patch" && typeof text === "string" && text.startsWith("***");
  return isPatch ? { patch: text } : fieldsIn(payload, "toolArgs");
}

/** Whether nothing of a command continues in a shell that the client keeps. */
function endsWithItself({ mode, detach, shellId }: Fields): boolean {
  return mode !== "async" && detach !== true && shellId === undefined;
}

/** Whether Copilot CLI sent a payload in the format of Claude Code: it runs the hooks in Claude Code's settings too. */
export function isOfCopilot(payload: Fields): boolean {
  return "timestamp" in payload && !("transcript_path" in payload);
}

/** Reads such a payload. Its commands are not replaced. */
export function copilotCall(payload: Fields, environment: Environment): HookCall {
  const name = neededText(payload, "tool_name");
  const input = fieldsIn(payload, "tool_input");
  const conversation = textIn(payload, "parent_agent_id") ?? neededText(payload, "session_id");
  const parts = { conversation, name: CLAUDE_NAMES.get(name) ?? name, input, cwd: payload["cwd"] };
  return callOf(parts, environment);
}

interface CallParts {
  readonly conversation: string;
  readonly name: string;
  readonly input: Fields;
  readonly cwd: unknown;
}

function callOf({ conversation, name, input, cwd }: CallParts, environment: Environment): HookCall {
  const folder = folderFrom(environment["COPILOT_PROJECT_DIR"], cwd, process.cwd());
  return {
    conversation,
    folder,
    cwd: workingFolder(cwd, folder),
    label: name,
    // It shows the question in every mode at a terminal, and refuses the call without one.
    canAsk: true,
    clientMode: MODE,
    ...toolCalls({ name, input }, TOOLS, "-"),
  };
}
