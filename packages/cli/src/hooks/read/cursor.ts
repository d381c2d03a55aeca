import { type ClientMode, UNKNOWN_MODE } from "../../clients/client-mode.ts";
import type { HookCall, HookClient, HookVerdict } from "../../clients/hook-call.ts";
import {
  type Fields,
  fieldsIn,
  folderFrom,
  neededText,
  textIn,
  workingFolder,
} from "../../clients/payload.ts";
import { toolCalls, toolsOf } from "./tool-calls.ts";

/** The tools of `preToolUse`. The other tools have their own events. */
const TOOLS = toolsOf("cursor");

type Asked = Pick<HookCall, "label" | "calls" | "remote" | "canAsk">;

const EVENTS: Readonly<Record<string, (payload: Fields) => Asked | undefined>> = {
  beforeShellExecution: (payload) => ({
    label: "Shell",
    canAsk: true,
    calls: [{ tool: "bash", arguments: { command: neededText(payload, "command") } }],
  }),
  beforeReadFile: (payload) => ({
    label: "Read",
    canAsk: false,
    calls: [{ tool: "read", arguments: { path: neededText(payload, "file_path") } }],
  }),
  beforeMCPExecution: readRemote,
  preToolUse(payload) {
    const name = neededText(payload, "tool_name");
    if (name === "Shell" || name === "Read" || name.startsWith("MCP:")) return undefined;
    // Cursor accepts `ask` here, but does not ask.
    return {
      label: name,
      canAsk: false,
      ...toolCalls({ name, input: fieldsIn(payload, "tool_input") }, TOOLS),
    };
  },
};

/** It treats an empty answer as a failure of the hook. */
const MODE: ClientMode = { ...UNKNOWN_MODE, canLeave: false };

/** Cursor's `beforeShellExecution`, `beforeMCPExecution`, `beforeReadFile` and `preToolUse`. */
export const cursor: HookClient = {
  name: "cursor",
  read(payload, environment) {
    const event = neededText(payload, "hook_event_name");
    const asked = Object.hasOwn(EVENTS, event) ? EVENTS[event]?.(payload) : undefined;
    if (asked === undefined) return undefined;
    const roots = Array.isArray(payload["workspace_roots"]) ? payload["workspace_roots"] : [];
    const folder = folderFrom(roots[0], environment["CURSOR_PROJECT_DIR"], process.cwd());
    const conversation = neededText(payload, "conversation_id");
    return { conversation, folder, cwd: workingFolder(payload["cwd"], folder), clientMode: MODE, ...asked };
  },
  answer({ action, reason }: HookVerdict) {
    // Cursor treats an empty answer as a failure of the hook.
    if (action === "none" || action === "allow") return { permission: "allow" };
    return { permission: action, user_message: reason, agent_message: reason };
  },
};

/** The name of the tool may contain the name of the server. The command or URL of the server is sent. */
function readRemote(payload: Fields): Asked {
  const name = neededText(payload, "tool_name");
  const [, server, tool] = /^MCP:([^:]+):(.+)$/.exec(name) ?? [];
  const command = textIn(payload, "command");
  const url = textIn(payload, "url");
  return {
    label: name,
    canAsk: true,
    calls: [],
    remote: {
      candidates: [
        {
          server: server ?? textIn(payload, "server_name", "server") ?? "",
          tool: tool ?? name.replace(/^MCP:/, ""),
        },
      ],
      arguments: fieldsIn(payload, "tool_input"),
      ...(command === undefined ? {} : { command }),
      ...(url === undefined ? {} : { url }),
    },
  };
}
