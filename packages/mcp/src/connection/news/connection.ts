import type {
  CallToolResult,
  CompleteRequest,
  CompleteResult,
  GetPromptResult,
  LoggingLevel,
  Tool as McpTool,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  ServerCapabilities,
} from "@modelcontextprotocol/client";
import type { Question, QuestionAnswers } from "@toolkeep/core";
import type { LoginUser } from "../oauth/login-user.ts";
import type { LogMessage } from "./server-log.ts";

/** One client for one server, kept connected while it is used. */
export interface Connection {
  /** The server's name. */
  readonly name: string;
  readonly status: ConnectionStatus;
  /** What the server declared when it was last reached. */
  readonly server?: ConnectedServer | undefined;
  /** Whether it was refused because it requires a login, to which the user of a call can be asked. */
  readonly needsLogin?: boolean;
  /** Connects again, and asks this user to log in. @throws ToolFailure `unavailable` if that does not succeed. */
  login?(user: LoginUser): Promise<void>;
  /** Resolves when the first attempt is over, whether it succeeded or not. Never rejects. */
  readonly tried: Promise<void>;
  /** @throws ToolFailure `unavailable` while the server cannot be reached; so do all methods below. */
  listTools(): Promise<readonly McpTool[]>;
  call(call: RemoteCall): Promise<CallToolResult>;
  listResources(): Promise<readonly Resource[]>;
  listResourceTemplates(): Promise<readonly ResourceTemplateType[]>;
  readResource(uri: string, signal?: AbortSignal): Promise<ReadResourceResult>;
  listPrompts(): Promise<readonly Prompt[]>;
  getPrompt(
    name: string,
    args: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<GetPromptResult>;
  /** What the server proposes for an argument; empty if it proposes nothing. */
  complete(params: CompleteRequest["params"], signal?: AbortSignal): Promise<CompleteResult>;
  /** Reports changes of a resource to `listen`, across reconnects, until the returned function is called. */
  watchResource(uri: string): Promise<() => void>;
  /** The lowest level that the server should log from now on; `undefined` for no log messages. */
  logLevel: LoggingLevel | undefined;
  /** Receives the server's notifications, until the returned function is called. */
  listen(tell: (news: ConnectionNews) => void): () => void;
  /** Receives changes until the returned function is called. `tools` also after every reconnect. */
  watch(tell: (change: ConnectionChange) => void): () => void;
  /** Ends the server's process tree, or the session with it. Safe to call twice. */
  close(): Promise<void>;
}

export type ConnectionChange = "status" | "tools" | "resources" | "prompts";

/** A notification of a server. */
export type ConnectionNews =
  | { readonly kind: "log"; readonly message: LogMessage }
  | { readonly kind: "updated"; readonly uri: string };

/** The connection state of a server. Times are milliseconds since the epoch. */
export interface ConnectionStatus {
  /** `waiting`: it was lost and will be retried. `refused`: it will not be retried, for this reason. */
  readonly state: "connecting" | "ready" | "waiting" | "refused" | "closed";
  readonly since: number;
  readonly reason?: string;
  /** How many attempts failed in a row. */
  readonly failures: number;
  readonly nextAttemptAt?: number;
}

export interface ConnectedServer {
  readonly name: string;
  readonly version: string;
  readonly protocolVersion: string;
  readonly generation: "legacy" | "modern";
  readonly capabilities: ServerCapabilities;
  readonly instructions?: string;
}

/** One call of a tool on a server. */
export interface RemoteCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** The session that makes it. Questions of a server are never put to another one. */
  readonly owner?: string;
  /** Receives progress; each report restarts the silence limit, up to the total limit. */
  onProgress?(text: string, fraction?: number): void;
  /**
   * Asks the user what the server wants to know. Without it the server's questions are cancelled. `inPlace`: the call
   * waits, and must not be made again for the answer.
   */
  ask?(questions: readonly Question[], inPlace?: true): Promise<QuestionAnswers>;
}
