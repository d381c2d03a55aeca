import type { Tool as McpTool } from "@modelcontextprotocol/client";
import type { Registry } from "@toolkeep/core";
import type { Sandbox } from "@toolkeep/core/ports";
import type { ConnectOptions } from "../connection/connect-options.ts";
import type { Connection, ConnectionChange, ConnectionStatus } from "../connection/connection.ts";
import type { EffectMap } from "../effect-maps/effect-map.ts";
import type { AcceptedServers } from "../servers/accepted-servers.ts";
import type { ServerEntry, ServerSettings } from "../servers/server-entry.ts";

/** MCP servers as a source of tools. */
export interface McpSource {
  /**
   * Starts a server if that was accepted, and registers its tools. Resolves when the first attempt is over, however
   * it ended; never throws for what the server did.
   * @throws ToolkeepError `invalid_option` for a second server of the same name.
   */
  add(entry: ServerEntry): Promise<void>;
  /** In the order they were added. */
  readonly servers: readonly ServerReport[];
  /** The client of a server that was started: for its resources and prompts. */
  connection(name: string): Connection | undefined;
  /** Told of changes until the returned function is called. Tools are registered by then. */
  watch(tell: (change: ConnectionChange, server: string) => void): () => void;
  /**
   * Lets in what is held back: the server itself, or these tools of it. Somebody must have looked at all of it. A tool
   * is named together with the fingerprint of what was looked at: it stays held if it says something else by now.
   * @throws ToolkeepError `invalid_option` for a tool without its fingerprint.
   */
  accept(server: string, tools?: readonly AcceptedTool[]): Promise<void>;
  /** Takes every tool back and ends every server. */
  close(): Promise<void>;
}

export interface McpSourceOptions {
  readonly registry: Registry;
  readonly known: AcceptedServers;
  /** The project whose servers are among them, by its canonical path: what is accepted of them counts there alone. */
  readonly owner?: string;
  /** By server name. */
  readonly settings?: Readonly<Record<string, ServerSettings>>;
  /** Effect maps beside those that ship; one of the same name wins. */
  readonly maps?: readonly EffectMap[];
  /** The walls around servers whose settings ask for some. Without it such a server is not started. */
  readonly sandbox?: Sandbox;
  /**
   * A folder of our own in which programs get a fresh, empty one to start in, unless their entry names another; a
   * project's programs start in the project. Nobody else may be able to write to it, or to what it lies in: some
   * programs look there for code. The folder for temporary files where it is left out.
   */
  readonly folder?: string;
  /** How to tell servers over HTTP who we are. Left out: one that wants to know is refused. */
  readonly oauth?: ConnectOptions["oauth"];
  /** How a server is reached, with nothing left to be expanded. By its program or address where it is left out. */
  connect?(entry: ServerEntry, options: ConnectOptions): Connection;
  /** Where `${NAME}` in entries is looked up. The environment of this process where it is left out. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** `prefixed`: `<server>_<tool>`. `plain`: the server's own names, for a source with one server. */
  readonly naming?: "prefixed" | "plain";
  /** Puts a question to a person. Left out: nobody is there, and what needs an answer is held back. */
  consent?(request: ConsentRequest): Promise<boolean>;
  /** Told of what went wrong where nobody waits for it. */
  readonly onNote?: (note: string) => void;
}

/** What somebody has to look at before it is used. Texts are as the server wrote them: show them through `terminalText`. */
export type ConsentRequest =
  | { readonly kind: "server"; readonly entry: ServerEntry; readonly why: "new" | "changed" }
  | { readonly kind: "tool"; readonly server: string; readonly held: ToolInReview };

export interface ServerReport {
  readonly entry: ServerEntry;
  /** `held`: nobody accepted it yet, or it changed since. */
  readonly status: ConnectionStatus | { readonly state: "held"; readonly reason: string };
  /** The registered names of its tools. */
  readonly tools: readonly string[];
  /** Tools that are not registered, and why. */
  readonly held: readonly ToolInReview[];
}

export interface ToolInReview {
  /** The server's own name of it. */
  readonly tool: string;
  /** Stands for all that it says of itself; empty where it is refused. */
  readonly fingerprint: string;
  /** `changed` since it was accepted; `suspicious` in what it says; `refused` for good: no acceptance helps. */
  readonly why: "changed" | "suspicious" | "refused";
  readonly reasons: readonly string[];
  /** Its beginning, where it is too long. */
  readonly description: string;
  /** All that it says of itself, as the server wrote it, of any size. `definitionTexts` has it for people. */
  readonly definition: McpTool;
  /** What it said when it was accepted, where that is still known. */
  readonly before?: McpTool;
}

/** A held tool, as it was looked at. */
export type AcceptedTool = Pick<ToolInReview, "tool" | "fingerprint">;
