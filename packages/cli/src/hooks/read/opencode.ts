import type { HookClient, HookVerdict } from "../../clients/hook-call.ts";
import { type Manners, UNKNOWN_MODE } from "../../clients/manners.ts";
import { type Fields, fieldsIn, folderFrom, neededText, textIn } from "../../clients/payload.ts";
import { isInSandbox } from "./codex.ts";
import { hasOwnRules } from "./opencode-rules.ts";
import * as own from "./own-tools.ts";
import { patches } from "./patch-files.ts";
import { toolCalls } from "./tool-calls.ts";

/** The client's own tools, as its version 1.18.33 named them on 16 November 2026. */
const TOOLS: Readonly<Record<string, own.ToolReading>> = {
  bash: own.runs("workdir"),
  read: own.reads("filePath"),
  write: own.writes("filePath"),
  edit: own.edits("filePath"),
  multiedit: own.edits("filePath"),
  apply_patch: patches("patchText", "patch"),
  patch: patches("patchText", "patch"),
  glob: own.looksThrough({ folders: ["path"], patterns: ["pattern"] }),
  grep: own.searches("path"),
  list: own.lists("path"),
  lsp: own.reads("filePath"),
  webfetch: own.fetches("url"),
  websearch: own.searchesTheWeb,
  codesearch: own.searchesTheWeb,
  ...Object.fromEntries(
    ["task", "todowrite", "todoread", "skill", "question", "plan_enter", "plan_exit", "invalid"].map(
      (name) => [name, own.staysInside],
    ),
  ),
};

/** It asks about nothing that is mild, unless its user set so, and then it asks by itself. */
const MANNERS: Manners = { ...UNKNOWN_MODE, isMildLeft: true };

/**
 * opencode's `tool.execute.before` and `tool.execute.after`, as the plugin that `install` writes sends it. A plugin can refuse a call and change
 * its arguments; it cannot ask the user.
 */
export const opencode: HookClient = {
  name: "opencode",
  read(payload, environment) {
    if (neededText(payload, "event") !== "tool.execute.before") return undefined;
    const name = neededText(payload, "tool");
    const input = fieldsIn(payload, "args");
    const folder = folderFrom(payload["directory"]);
    const callId = textIn(payload, "callID");
    return {
      // A subagent has a session of its own. What it reads comes back to the agent that started it.
      conversation: conversationOf(payload),
      ...(callId === undefined ? {} : { callId }),
      folder,
      cwd: folder,
      label: name,
      canAsk: false,
      manners: MANNERS,
      ...toolCalls({ name, input }, TOOLS, "_"),
      ...(name === "bash"
        ? { replaceable: { withCommand: (command) => ({ ...input, command }), keepsFolder: false } }
        : {}),
      isKept: () => hasOwnRules(folder, environment),
    };
  },
  report(payload) {
    const callId = textIn(payload, "callID");
    if (neededText(payload, "event") !== "tool.execute.after" || callId === undefined) return undefined;
    const isReplaced = isInSandbox(textIn(fieldsIn(payload, "args"), "command"));
    const outcome = typeof payload["exit"] === "number" && payload["exit"] !== 0 ? "failed" : "ran";
    return {
      conversation: conversationOf(payload),
      folder: folderFrom(payload["directory"]),
      callId,
      outcome,
      isReplaced,
    };
  },
  answer(verdict) {
    return { stdout: `${JSON.stringify(said(verdict))}\n`, stderr: "", exitCode: 0 };
  },
};

function conversationOf(payload: Fields): string {
  return textIn(payload, "rootID") ?? neededText(payload, "sessionID");
}

/** The forms that the plugin knows. It refuses the call for any other. */
function said({ action, reason, input }: HookVerdict) {
  if (action === "deny" || action === "ask") return { action: "deny", reason };
  return input === undefined ? { action: "none" } : { action: "replace", args: input };
}
