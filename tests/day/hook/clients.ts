import type { HookClientName } from "../../../packages/cli/src/clients/hook-call.ts";
import type { ClientCall, Step } from "../step.ts";
import { codexPayload } from "./codex-payload.ts";
import { cursorPayload } from "./cursor-payload.ts";
import { geminiPayload } from "./gemini-payload.ts";

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
  /** Whether the client alone asks about a call, or refuses it, so that a user has to step in. */
  interruptsAlone(step: Pick<Step, "call" | "prompts">): boolean;
  /** Whether a user sees the question of a hook. If not, a denial that names its rule takes its place. */
  asksUser(payload: Fields): boolean;
}

/**
 * What Claude Code 2.1.325 does alone, as it was seen on 15 November 2026: in `auto` its classifier is taken to let
 * everything pass, because what it blocks is not known; in `dontAsk` it refuses what it would ask about.
 */
const CLAUDE_MODES: Readonly<Record<string, ClientMode["interruptsAlone"]>> = {
  default: ({ prompts }) => prompts,
  acceptEdits: ({ call, prompts }) => prompts && !isEdit(call),
  auto: () => false,
  plan: ({ prompts }) => prompts,
  bypassPermissions: () => false,
  dontAsk: ({ prompts }) => prompts,
};

const EDITS = new Set(["Edit", "Write", "MultiEdit", "NotebookEdit"]);
const FILE_COMMAND = /^(?:mkdir|touch|rm|rmdir|mv|cp|sed|echo|cat|printf|tee)\b/;

function isEdit({ tool, input }: ClientCall): boolean {
  return EDITS.has(tool) || (tool === "Bash" && FILE_COMMAND.test(String(input["command"])));
}

function claudeCode(mode: string, interruptsAlone: ClientMode["interruptsAlone"]): ClientMode {
  return {
    client: "claude-code",
    mode,
    payload: ({ tool, input }, { project, conversation }) => ({
      ...{ session_id: conversation, transcript_path: "/x", cwd: project, permission_mode: mode },
      ...{ hook_event_name: "PreToolUse", tool_name: tool, tool_input: input, tool_use_id: "t" },
    }),
    interruptsAlone,
    // A mode that asks no user refuses instead.
    asksUser: () => mode !== "dontAsk",
  };
}

const CURSOR: ClientMode = {
  client: "cursor",
  mode: "default",
  payload: cursorPayload,
  interruptsAlone: () => false,
  // It accepts `ask` elsewhere, and does not ask.
  asksUser: ({ hook_event_name: event }) =>
    event === "beforeShellExecution" || event === "beforeMCPExecution",
};

/** `codex exec` asks about nothing, and has no way to ask for a hook. */
const CODEX: ClientMode = {
  ...{ client: "codex", mode: "bypassPermissions", payload: codexPayload },
  interruptsAlone: () => false,
  asksUser: () => false,
};

const GEMINI: ClientMode = {
  ...{ client: "gemini-cli", mode: "yolo", payload: geminiPayload },
  interruptsAlone: () => false,
  asksUser: () => true,
};

export const CLIENT_MODES: readonly ClientMode[] = [
  ...Object.entries(CLAUDE_MODES).map(([mode, alone]) => claudeCode(mode, alone)),
  CURSOR,
  CODEX,
  GEMINI,
];
