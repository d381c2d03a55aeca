import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { defined } from "@toolkeep/core/internal";
import { type ClientMode, UNKNOWN_MODE } from "../../clients/client-mode.ts";
import type { Environment, HookCall, HookClient, HookVerdict } from "../../clients/hook-call.ts";
import {
  type Fields,
  fieldsIn,
  folderFrom,
  isFields,
  neededText,
  textIn,
  workingFolder,
} from "../../clients/payload.ts";
import { runs } from "./own-tools.ts";
import { patchInCommand } from "./patch-files.ts";
import { toolCalls, toolsOf } from "./tool-calls.ts";

/** The tools that its hooks name. Any other tool, except those of servers, is refused. */
const TOOLS = toolsOf("codex", { Bash: patchInCommand("command", runs()) });

const IN_SANDBOX = / exec --ticket [0-9a-f]{32} -- /;

/** Whether a command is one that we put in the place of another, which runs in our sandbox. */
export function isInSandbox(command = ""): boolean {
  return IN_SANDBOX.test(command);
}

const DECIDING: ReadonlySet<string> = new Set(["PreToolUse", "PermissionRequest"]);

/** Codex's `PreToolUse`, and `PermissionRequest`, before it asks its user. */
export const codex: HookClient = {
  name: "codex",
  read(payload, environment) {
    const event = neededText(payload, "hook_event_name");
    if (!DECIDING.has(event)) return undefined;
    const name = neededText(payload, "tool_name");
    const input = fieldsIn(payload, "tool_input");
    const callId = textIn(payload, "tool_use_id");
    // It starts its hooks where its user started it. `cwd` is where the model wants the command to run.
    const folder = folderFrom(process.cwd());
    return {
      conversation: neededText(payload, "session_id"),
      folder,
      cwd: workingFolder(payload["cwd"], folder),
      label: name,
      canAsk: false,
      clientMode: modeIn(payload),
      isRepeated: event === "PermissionRequest",
      ...(callId === undefined ? {} : { callId }),
      ...readTool(name, input),
      ...(name === "Bash" ? commandParts({ event, input, payload, environment, folder }) : {}),
    };
  },
  report(payload) {
    const callId = textIn(payload, "tool_use_id");
    if (neededText(payload, "hook_event_name") !== "PostToolUse" || callId === undefined) return undefined;
    const isReplaced = isInSandbox(textIn(fieldsIn(payload, "tool_input"), "command"));
    const conversation = neededText(payload, "session_id");
    // It does not say how a command ended, so this is no more than that it was executed.
    return { conversation, folder: folderFrom(process.cwd()), callId, outcome: "ran", isReplaced };
  },
  answer(verdict, payload) {
    const event = payload["hook_event_name"];
    if (verdict.alarm !== undefined) return alarm(verdict.alarm);
    const said = event === "PermissionRequest" ? permission(verdict) : undefined;
    return defined({ hookSpecificOutput: event === "PreToolUse" ? decision(verdict) : said });
  },
};

/** It has no answer that asks its user, so what asks is refused, with the rule to add. */
function modeIn(payload: Fields): ClientMode {
  const name = textIn(payload, "permission_mode") ?? UNKNOWN_MODE.name;
  const isMildLeft = name === "bypassPermissions";
  return { ...UNKNOWN_MODE, name, hasPerson: false, isReadOnly: name === "plan", isMildLeft };
}

function readTool(name: string, input: Fields): Pick<HookCall, "calls" | "remote"> {
  if (name !== "read_mcp_resource") return toolCalls({ name, input }, TOOLS);
  const resource = { server: neededText(input, "server"), tool: "resources/read" };
  return { calls: [], remote: { candidates: [resource], arguments: input } };
}

interface CommandCall {
  readonly event: string;
  readonly input: Fields;
  readonly payload: Fields;
  readonly environment: Environment;
  readonly folder: string;
}

/** What a command may become: one that runs in our sandbox, unless the client has something of its own for it. */
function commandParts({
  event,
  input,
  payload,
  environment,
  folder,
}: CommandCall): Pick<HookCall, "replaceable" | "isKept" | "isTyped"> {
  const home = environment["CODEX_HOME"] ?? join(homedir(), ".codex");
  return {
    isTyped: true,
    isKept: () => !isSandboxOff(payload) || hasOwnRules([home, join(folder, ".codex")]),
    ...(event === "PreToolUse" ? { replaceable: { input, keepsFolder: false } } : {}),
  };
}

/** A denial with its reason, or an `allow` with another input. An `allow` alone is no answer, so nothing is said. */
function decision({ action, reason, input }: HookVerdict): Fields | undefined {
  const hookEventName = "PreToolUse";
  if (action === "allow") return input && { hookEventName, permissionDecision: "allow", updatedInput: input };
  if (action === "none") return undefined;
  return { hookEventName, permissionDecision: "deny", permissionDecisionReason: reason };
}

/** A hook that allows here answers for the user, so ours only denies. */
function permission({ action, reason }: HookVerdict): Fields | undefined {
  if (action !== "deny") return undefined;
  return { hookEventName: "PermissionRequest", decision: { behavior: "deny", message: reason } };
}

/** The model gets it with the result of the call. */
function alarm(reason: string): Fields {
  const hookSpecificOutput = { hookEventName: "PostToolUse", additionalContext: reason };
  return { decision: "block", reason, hookSpecificOutput };
}

const MOST_BYTES = 8_000_000;
const TURN = '"turn_context"';

/**
 * Whether Codex runs the commands of this turn without a sandbox of its own, as its record of the conversation says.
 * False if that is not known. It decides only whether a command is moved to our sandbox, which cannot start in another.
 */
function isSandboxOff(payload: Fields): boolean {
  const file = textIn(payload, "transcript_path");
  const turn = textIn(payload, "turn_id");
  if (file === undefined || turn === undefined) return false;
  try {
    const lines = endOf(file).split("\n");
    const found = lines.findLast((line) => line.includes(TURN) && line.includes(turn));
    const record: unknown = JSON.parse(found ?? "");
    const context = isFields(record) && record["type"] === "turn_context" ? record["payload"] : undefined;
    if (!isFields(context) || context["turn_id"] !== turn || !isFields(context["sandbox_policy"]))
      return false;
    return context["sandbox_policy"]["type"] === "danger-full-access";
  } catch {
    return false;
  }
}

function endOf(file: string): string {
  const handle = openSync(file, "r");
  try {
    const { size } = fstatSync(handle);
    const bytes = Buffer.alloc(Math.min(size, MOST_BYTES));
    const read = readSync(handle, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString("utf8", 0, read);
  } finally {
    closeSync(handle);
  }
}

/**
 * Whether Codex has rules of its own that forbid a command or ask about it, in one of these folders. It would evaluate
 * them on the replaced text. Files that cannot be read may have some.
 */
function hasOwnRules(folders: readonly string[]): boolean {
  return folders.some((folder) => {
    try {
      const rules = readdirSync(join(folder, "rules")).filter((name) => name.endsWith(".rules"));
      return rules.some((name) => /forbidden|prompt/.test(readFileSync(join(folder, "rules", name), "utf8")));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return code !== "ENOENT" && code !== "ENOTDIR";
    }
  });
}
