import type { Tool as McpTool } from "@modelcontextprotocol/client";
import type { Registry } from "@toolkeep/core";
import type { Sandbox } from "@toolkeep/core/ports";
import type { ConnectOptions } from "../connection/connect-options.ts";
import type { Connection, ConnectionChange, ConnectionStatus } from "../connection/news/connection.ts";
import type { EffectMap } from "../effect-maps/effect-map.ts";
import type { AcceptedServers } from "../servers/accepted-servers.ts";
import type { ServerEntry, ServerSettings } from "../servers/server-entry.ts";

/** MCP servers as a source of tools. */
export interface McpSource {
  /**
   * Starts a server if it is accepted, and registers its tools. Resolves when the first attempt is over, whether it
   * succeeded or not; never throws for what the server did.
   * @throws ToolkeepError `invalid_option` for a second server with the same name.
   */
  add(entry: ServerEntry): Promise<void>;
  /** In the order they were added. */
  readonly servers: readonly ServerReport[];
  /** The client of a started server, for its resources and prompts. */
  connection(name: string): Connection | undefined;
  /** Calls `tell` on every change until the returned function is called. Tools are registered by then. */
  watch(tell: (change: ConnectionChange, server: string) => void): () => void;
  /**
   * Accepts the server itself, or these tools of it. The user must have reviewed all of it. A tool is named together
   * with the fingerprint of the reviewed definition: it stays in review if it has changed since.
   * @throws ToolkeepError `invalid_option` for a tool without its fingerprint.
   */
  accept(server: string, tools?: readonly AcceptedTool[]): Promise<void>;
  /** Unregisters every tool and ends every server. */
  close(): Promise<void>;
}

export interface McpSourceOptions {
  readonly registry: Registry;
  readonly accepted: AcceptedServers;
  /** The project whose servers are in the source, by its canonical path: acceptance is valid for this project only. */
  readonly owner?: string;
  /** By server name. */
  readonly settings?: Readonly<Record<string, ServerSettings>>;
  /** Additional effect maps. One with the name of a built-in map replaces it. */
  readonly maps?: readonly EffectMap[];
  /** The sandbox for servers whose settings ask for one. Without it such a server is not started. */
  readonly sandbox?: Sandbox;
  /**
   * A directory in which each program gets a new, empty directory to start in, unless its entry names one; programs of
   * a project start in the project. Other users must not be able to write to it or to its parents: some programs load
   * code from there. Default: the directory for temporary files.
   */
  readonly folder?: string;
  /** How to log in to servers over HTTP. Without it a server that requires a login is refused. */
  readonly oauth?: ConnectOptions["oauth"];
  /** How to connect to a server whose entry is fully expanded. Default: start its program, or connect to its address. */
  connect?(entry: ServerEntry, options: ConnectOptions): Connection;
  /** Where `${NAME}` in entries is looked up. Default: the environment of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** `prefixed`: `<server>_<tool>`. `plain`: the server's own names, for a source with one server. */
  readonly naming?: "prefixed" | "plain";
  /** Asks the user to accept a server or a tool. Without it, whatever needs acceptance stays in review. */
  consent?(request: ConsentRequest): Promise<boolean>;
  /** Receives diagnostics that no caller waits for. */
  readonly onNote?: (note: string) => void;
}

/** What the user must review before it is used. Texts are as the server wrote them: show them through `terminalText`. */
export type ConsentRequest =
  | { readonly kind: "server"; readonly entry: ServerEntry; readonly why: "new" | "changed" }
  | { readonly kind: "tool"; readonly server: string; readonly inReview: ToolInReview };

export interface ServerReport {
  readonly entry: ServerEntry;
  /** `awaiting_review`: the user has not accepted it yet, or it changed since. */
  readonly status: ConnectionStatus | { readonly state: "awaiting_review"; readonly reason: string };
  /** The registered names of its tools. */
  readonly tools: readonly string[];
  /** Tools that are not registered, and why. */
  readonly inReview: readonly ToolInReview[];
}

export interface ToolInReview {
  /** The server's own name for it. */
  readonly tool: string;
  /** Identifies the whole definition; empty if the tool is refused. */
  readonly fingerprint: string;
  /** `changed` since it was accepted; `suspicious` text in it; `refused`: it cannot be accepted. */
  readonly why: "changed" | "suspicious" | "refused";
  readonly reasons: readonly string[];
  /** Shortened if it is too long. */
  readonly description: string;
  /** The whole definition, as the server wrote it, of any size. `definitionTexts` prepares it for review. */
  readonly definition: McpTool;
  /** The definition when it was accepted, if it is still known. */
  readonly before?: McpTool;
}

/** A tool in review, with the definition that was reviewed. */
export type AcceptedTool = Pick<ToolInReview, "tool" | "fingerprint">;
