import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { type ClientMode, UNKNOWN_MODE } from "../../clients/client-mode.ts";
import type { Environment, HookClient } from "../../clients/hook-call.ts";
import { clearEntries } from "../../clients/json-edit.ts";
import { type Fields, fieldsIn, folderFrom, neededText, textIn } from "../../clients/payload.ts";
import { isInSandbox } from "./codex.ts";
import { toolCalls, toolsOf } from "./tool-calls.ts";

/** The client's own tools, as its version 1.18.33 named them on 16 November 2026. */
const TOOLS = toolsOf("opencode");

/** It asks about nothing that is mild, unless its user set so, and then it asks by itself. */
const MODE: ClientMode = { ...UNKNOWN_MODE, isMildLeft: true };

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
      clientMode: MODE,
      ...toolCalls({ name, input }, TOOLS, "_"),
      ...(name === "bash" ? { replaceable: { input, keepsFolder: false } } : {}),
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
  /** The forms that the plugin knows. It refuses the call for any other. */
  answer({ action, reason, input }) {
    if (action === "deny" || action === "ask") return { action: "deny", reason };
    return input === undefined ? { action: "none" } : { action: "replace", args: input };
  },
};

function conversationOf(payload: Fields): string {
  return textIn(payload, "rootID") ?? neededText(payload, "sessionID");
}

const FILES = ["opencode.json", "opencode.jsonc", "config.json"];
const AGENTS = ["agent", "agents", "mode", "modes"];

/** A permission or a list of tools that may refuse or ask. What it says may be elsewhere. */
const NARROWS = /permission|tools/;
const REFUSES = /\b(?:ask|deny|false)\b|\{(?:env|file):/;

/**
 * Whether opencode may have rules of its own about commands. It would apply them to what a plugin makes of a command,
 * so such commands are left as they are. Says yes more often than it is so, also for a file that cannot be read.
 */
function hasOwnRules(folder: string, environment: Environment): boolean {
  const { XDG_CONFIG_HOME, OPENCODE_CONFIG, OPENCODE_CONFIG_DIR } = environment;
  const user = join(XDG_CONFIG_HOME || join(homedir(), ".config"), "opencode");
  const folders = [
    ...[user, ...(OPENCODE_CONFIG_DIR ? [OPENCODE_CONFIG_DIR] : [])],
    ...above(folder).flatMap((one) => [one, join(one, ".opencode")]),
  ];
  const files = [
    ...(OPENCODE_CONFIG ? [OPENCODE_CONFIG] : []),
    ...folders.flatMap((one) => FILES.map((name) => join(one, name))),
    ...folders.flatMap((one) => AGENTS.flatMap((name) => textsIn(join(one, name)))),
  ];
  const given = [environment["OPENCODE_CONFIG_CONTENT"], environment["OPENCODE_PERMISSION"]];
  return given.some((text) => text !== undefined && REFUSES.test(text)) || files.some(mayNarrow);
}

function above(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...above(parent)];
}

/** The agents of a folder are files that begin with their settings. */
function textsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true })
      .map(String)
      .filter((name) => name.endsWith(".md"))
      .map((name) => join(folder, name));
  } catch (error) {
    return isMissing(error) ? [] : [folder];
  }
}

function mayNarrow(file: string): boolean {
  try {
    const text = readFileSync(file, "utf8");
    if (file.endsWith(".md")) return isNarrow(/^---\r?\n(.*?)\n---/s.exec(text)?.[1] ?? "");
    const entries = clearEntries(text, []);
    return entries === undefined ? isNarrow(text) : hasNarrow(Object.fromEntries(entries));
  } catch (error) {
    return !isMissing(error);
  }
}

function isNarrow(settings: string): boolean {
  return NARROWS.test(settings) && REFUSES.test(settings);
}

function hasNarrow(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, inner]) =>
    NARROWS.test(key) ? REFUSES.test(JSON.stringify(inner)) : hasNarrow(inner),
  );
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
}
