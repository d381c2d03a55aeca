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
import type { LogMessage } from "./server-log.ts";

/** One client for one server, kept up while it is used. */
export interface Connection {
  /** The server's name. */
  readonly name: string;
  readonly status: ConnectionStatus;
  /** What the server said of itself when it was last reached. */
  readonly server?: ConnectedServer | undefined;
  /** Resolves when the first attempt is over, however it ended. Never rejects. */
  readonly tried: Promise<void>;
  /** @throws ToolFailure `unavailable` while the server cannot be reached; so do all that follow. */
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
  /** What the server proposes for an argument; nothing where it proposes nothing. */
  complete(params: CompleteRequest["params"], signal?: AbortSignal): Promise<CompleteResult>;
  /**
   * Has the server tell of changes of a resource until the returned function is called, in later lives too. They are
   * heard through `hear`.
   */
  watchResource(uri: string): Promise<() => void>;
  /** The least that the server should log from here on; nothing is heard of it where it is `undefined`. */
  logLevel: LoggingLevel | undefined;
  /** Told what the server says beside its answers, until the returned function is called. */
  listen(tell: (news: ConnectionNews) => void): () => void;
  /** Told of changes until the returned function is called. `tools` also after every reconnection. */
  watch(tell: (change: ConnectionChange) => void): () => void;
  /** Ends the server's process tree, or the session with it. Safe to call twice. */
  close(): Promise<void>;
}

export type ConnectionChange = "status" | "tools" | "resources" | "prompts";

/** What a server says without being asked. */
export type ConnectionNews =
  | { readonly kind: "log"; readonly message: LogMessage }
  | { readonly kind: "updated"; readonly uri: string };

/** The one place where the state of a server can be seen. Times are milliseconds since the epoch. */
export interface ConnectionStatus {
  /** `waiting`: it was lost and will be tried again. `refused`: it will not be tried again, for this reason. */
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
  /** Told of progress; each report also gives the call its time again, up to the cap. */
  onProgress?(text: string, fraction?: number): void;
  /** Puts what the server wants to know to a person. Left out: the server is told that nobody answers. */
  ask?(questions: readonly Question[]): Promise<QuestionAnswers>;
}
