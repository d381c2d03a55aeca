import { type ClientMode, UNKNOWN_MODE } from "../../clients/client-mode.ts";
import type { HookClient, RemoteToolCall } from "../../clients/hook-call.ts";
import {
  type Fields,
  fieldsIn,
  folderFrom,
  isFields,
  neededText,
  textIn,
  workingFolder,
} from "../../clients/payload.ts";
import { toolCalls, toolsOf } from "./tool-calls.ts";

const TOOLS = toolsOf("gemini-cli");

/**
 * It does not say its mode. Of what is mild, it asks by itself about commands and pages in `default` and `auto_edit`,
 * and about edits in `default`. Where it does not, its user chose so.
 */
const MODE: ClientMode = { ...UNKNOWN_MODE, isMildLeft: true };

/** Gemini CLI's `BeforeTool`. */
export const geminiCli: HookClient = {
  name: "gemini-cli",
  read(payload, environment) {
    if (neededText(payload, "hook_event_name") !== "BeforeTool") return undefined;
    const name = neededText(payload, "tool_name");
    const folder = folderFrom(
      environment["GEMINI_PROJECT_DIR"],
      environment["CLAUDE_PROJECT_DIR"],
      process.cwd(),
    );
    const input = fieldsIn(payload, "tool_input");
    const remote = remoteCall(payload["mcp_context"], input);
    return {
      conversation: neededText(payload, "session_id"),
      folder,
      cwd: workingFolder(payload["cwd"], folder),
      label: name,
      canAsk: true,
      clientMode: MODE,
      ...(remote === undefined ? toolCalls({ name, input }, TOOLS) : { calls: [], remote }),
      ...(remote === undefined && name === "run_shell_command" && input["is_background"] !== true
        ? { replaceable: { input, keepsFolder: false } }
        : {}),
    };
  },
  answer({ action, reason, input }) {
    if (action === "none") return {};
    const changed =
      input === undefined ? {} : { hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: input } };
    const shown = action === "allow" ? changed : { reason, systemMessage: reason };
    return { decision: action, ...shown };
  },
};

/** The context names the server and the tool, so their joined name is not parsed. */
function remoteCall(context: unknown, input: Fields): RemoteToolCall | undefined {
  if (!isFields(context)) return undefined;
  const command = textIn(context, "command");
  const args = Array.isArray(context["args"]) ? context["args"].map(String) : [];
  const url = textIn(context, "url");
  return {
    candidates: [{ server: neededText(context, "server_name"), tool: neededText(context, "tool_name") }],
    arguments: input,
    ...(command === undefined ? {} : { command: [command, ...args].join(" ") }),
    ...(url === undefined ? {} : { url }),
  };
}
