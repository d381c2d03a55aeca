/** The clients whose hooks are answered. */
export const HOOK_CLIENTS = ["claude-code", "cursor", "gemini-cli"] as const;

export type HookClientName = (typeof HOOK_CLIENTS)[number];

/** What one of a client's own tools would do, in the words of one of ours. */
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
  /** Every server and tool that the client may mean: a name alone does not always say. An empty server is not named. */
  readonly directories: readonly RemotePlace[];
  readonly arguments: Readonly<Record<string, unknown>>;
  /** How the server is started, its words with single spaces between them, or reached; where the client says so. */
  readonly command?: string;
  readonly url?: string;
}

export interface RemotePlace {
  readonly server: string;
  readonly tool: string;
}

/** A server's tool that a client is about to call, and where. */
export interface RemoteHook {
  readonly call: RemoteToolCall;
  readonly client: HookClientName;
  /** The canonical folder of the project. */
  readonly project: string;
}

/** What a client asks about, before it does it. */
export interface HookCall {
  /** The client's conversation. */
  readonly conversation: string;
  /** Where the client's project is. */
  readonly folder: string;
  /** What is meant by a relative path. */
  readonly cwd: string;
  /** The client's own name of the tool, for people. */
  readonly label: string;
  /** None, and no `remote`: it stays inside of the conversation. */
  readonly calls: readonly DryRunCall[];
  readonly remote?: RemoteToolCall;
  /** Whether the client can put it to a person. */
  readonly canAsk: boolean;
}

/** What becomes of it. `none`: somebody else decides, and the client goes on as it would without us. */
export interface HookVerdict {
  readonly action: "allow" | "ask" | "deny" | "none";
  readonly reason: string;
  /** The command that is allowed in place of one that is refused. */
  readonly instead?: string;
}

/** What the process says and how it ends. */
export interface HookAnswer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: 0 | 2;
}

/** How one client speaks. */
export interface HookClient {
  readonly name: HookClientName;
  /**
   * Reads what the client sent. `undefined`: an event that decides nothing.
   * @throws PayloadFault for what cannot be understood.
   */
  read(payload: Readonly<Record<string, unknown>>, environment: Environment): HookCall | undefined;
  /** In the client's words. */
  answer(verdict: HookVerdict, payload: Readonly<Record<string, unknown>>): HookAnswer;
}

export type Environment = Readonly<Record<string, string | undefined>>;
