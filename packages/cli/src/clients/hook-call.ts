import type { Config } from "@toolkeep/node/internal";
import type { ClientMode } from "./client-mode.ts";

/** The clients whose hooks the program answers. */
export const HOOK_CLIENTS = ["claude-code", "cursor", "gemini-cli", "codex", "copilot", "opencode"] as const;

export type HookClientName = (typeof HOOK_CLIENTS)[number];

export function isHookClient(name: string): name is HookClientName {
  return (HOOK_CLIENTS as readonly string[]).includes(name);
}

const DELEGATED_TO = "delegated to ";

/** The approver in the journal if a client is told to ask its user. Its answer is unknown to us. */
export function delegationTo(client: HookClientName): string {
  return `${DELEGATED_TO}${client}`;
}

export function isDelegation(by: string): boolean {
  return HOOK_CLIENTS.some((client) => by === delegationTo(client));
}

/** The result of every dry-run tool in the journal: the client runs the call. */
export const DELEGATED = "Delegated to the client.";

/** A call of one of a client's own tools, as a call of one of our dry-run tools. */
export interface DryRunCall {
  readonly tool: DryRunName;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export type DryRunName =
  | "bash"
  | "read"
  | "write"
  | "edit"
  | "delete"
  | "glob"
  | "grep"
  | "list"
  | "web_fetch"
  | "web_search"
  | "client_unknown";

/** A tool of an MCP server that the client itself talks to. */
export interface RemoteToolCall {
  /** Every server and tool that the name may stand for. The server is empty if the client does not name it. */
  readonly candidates: readonly RemoteTool[];
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The command line of the server, joined with single spaces, or its URL, if the client sends them. */
  readonly command?: string;
  readonly url?: string;
  /** The client says that the server is in none of its configuration files. */
  readonly isUnconfigured?: boolean;
}

export interface RemoteTool {
  readonly server: string;
  readonly tool: string;
}

/** A call of a server's tool by a client. */
export interface RemoteHook {
  readonly call: RemoteToolCall;
  readonly client: HookClientName;
  /** The canonical path of the project. */
  readonly project: string;
  /** The environment of the client. Default: that of this process. */
  readonly environment?: Environment | undefined;
  /** Whether no record of an installation is believed. */
  readonly isMoved?: boolean;
  /** The only servers that the administrator accepts. Default: all. */
  readonly servers?: Config["servers"];
}

/** A call that a client asks about. */
export interface HookCall {
  /** The id of the client's conversation. */
  readonly conversation: string;
  /** The directory of the client's project. */
  readonly folder: string;
  /** The base of relative paths. */
  readonly cwd: string;
  /** The client's own name of the tool. */
  readonly label: string;
  /** Empty without `remote`: the call has no effects outside of the conversation. */
  readonly calls: readonly DryRunCall[];
  readonly remote?: RemoteToolCall;
  /** Whether the client can ask its user. */
  readonly canAsk: boolean;
  /** How the client treats the call in its mode. */
  readonly clientMode: ClientMode;
  /** The client's id of the call, by which it reports the outcome. */
  readonly callId?: string;
  /** The client is about to ask its user about a call that was decided before, which another hook may have changed. */
  readonly isRepeated?: boolean;
  /** How the client lets a hook replace the command; missing where it does not. */
  readonly replaceable?: ReplaceableCommand;
  /** Whether commands are left to the client as they are: its own sandbox is on, or its own rules are about them. */
  isKept?(): boolean;
  /** Whether a command that waits for typed commands is refused. */
  readonly isTyped?: boolean;
}

/** A command line whose text the client takes from the answer of a hook. */
interface ReplaceableCommand {
  /** The whole input of the tool. With another command, all other fields are carried over. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Whether the next command starts in the directory in which this one ends. */
  readonly keepsFolder: boolean;
  /** Whether the client's rules are about names of programs, and it asks about a path outside of the project. */
  readonly byName?: boolean;
}

/** `none`: the hook does not decide, and the client continues as without it. */
export interface HookVerdict {
  readonly action: "allow" | "ask" | "deny" | "none";
  /** What the policy decided, whatever is answered in the client's mode. */
  readonly decided?: "allow" | "ask" | "deny";
  readonly reason: string;
  /** The command that is allowed instead of a refused one. */
  readonly instead?: string;
  /** After a call: what the model and the user have to know about it. */
  readonly alarm?: string;
  /** The input that replaces the one of the tool. Only with `allow`. */
  readonly input?: Readonly<Record<string, unknown>>;
}

/** The output and the exit code of the process. */
export interface HookAnswer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: 0 | 2;
}

/** What a client reports about a call that it was asked about before. */
export interface CallReport {
  readonly conversation: string;
  readonly folder: string;
  readonly callId: string;
  /** `started`: in the background. `refused`: not run by the client. `unconfined`: outside, though it was confined. */
  readonly outcome: "ran" | "failed" | "started" | "refused" | "unconfined";
  /** The line is one that runs in our sandbox and reports by itself: only whether it did is looked at. */
  readonly isReplaced?: boolean;
  /** Its user interrupted it, maybe before it began. */
  readonly isInterrupted?: boolean;
}

/** The hook protocol of one client. */
export interface HookClient {
  readonly name: HookClientName;
  /** Reads the payload. `undefined` for an event that decides nothing. @throws PayloadError */
  read(payload: Readonly<Record<string, unknown>>, environment: Environment): HookCall | undefined;
  /** Reads the payload of an event that reports an outcome; `undefined` for any other. */
  report?(payload: Readonly<Record<string, unknown>>, environment: Environment): CallReport | undefined;
  /** The verdict in the format of the client, which is JSON. */
  answer(verdict: HookVerdict, payload: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
}

export type Environment = Readonly<Record<string, string | undefined>>;
