import type { HookClientName } from "../../../packages/cli/src/hooks/hook-call.ts";
import type { ClientCall } from "../step.ts";
import { cursorPayload } from "./cursor-payload.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** Where a call is made. */
export interface Around {
  readonly project: string;
  readonly conversation: string;
}

/** A client in one of its modes. More of them are more entries. */
export interface ClientMode {
  readonly client: HookClientName;
  readonly mode: string;
  /** The input of its hook; `undefined` for a call that the client does not have. */
  payload(call: ClientCall, around: Around): Fields | undefined;
  /** What it does if the hook decides nothing: `asks` where it asks by itself. */
  readonly left: "asks" | "passes";
  /** Whether a user sees the question of a hook. If not, a denial that names its rule takes its place. */
  asksUser(payload: Fields): boolean;
}

function claudeCode(mode: string, rest: Pick<ClientMode, "left" | "asksUser">): ClientMode {
  return {
    client: "claude-code",
    mode,
    payload: ({ tool, input }, { project, conversation }) => ({
      ...{ session_id: conversation, transcript_path: "/x", cwd: project, permission_mode: mode },
      ...{ hook_event_name: "PreToolUse", tool_name: tool, tool_input: input, tool_use_id: "t" },
    }),
    ...rest,
  };
}

const CLAUDE_CODE = claudeCode("default", { left: "asks", asksUser: () => true });

const CURSOR: ClientMode = {
  client: "cursor",
  mode: "default",
  payload: cursorPayload,
  left: "passes",
  // It accepts `ask` elsewhere, and does not ask.
  asksUser: ({ hook_event_name: event }) =>
    event === "beforeShellExecution" || event === "beforeMCPExecution",
};

export const CLIENT_MODES: readonly ClientMode[] = [CLAUDE_CODE, CURSOR];
