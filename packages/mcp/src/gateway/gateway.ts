import type { Approver, Registry, Session } from "@toolkeep/core";
import type { ServerEntry } from "../servers/server-entry.ts";
import type { HttpEndpoint, HttpEndpointOptions, StdioEndpoint } from "../serving/endpoint.ts";
import type { ServeAnswers } from "../serving/serve-mcp.ts";
import type { McpSource, McpSourceOptions } from "../source/mcp-source.ts";

/** Any number of MCP servers behind one governed endpoint. */
export interface Gateway {
  readonly session: Session;
  readonly source: McpSource;
  /** Resolves when every server was tried once, however that ended. */
  readonly started: Promise<void>;
  /** @throws ToolkeepError `invalid_option` when the standard streams are served already. */
  serveStdio(): StdioEndpoint;
  serveHttp(options?: HttpEndpointOptions): Promise<HttpEndpoint>;
  /** Ends endpoints, the session and the servers. */
  close(): Promise<void>;
}

export interface GatewayOptions extends Omit<McpSourceOptions, "registry">, ServeAnswers {
  readonly servers: readonly ServerEntry[];
  /**
   * Opens the session that governs every call: with policy, stores and hands as the embedder wants them. Must use
   * this registry and this approver.
   */
  open(parts: { readonly registry: Registry; readonly approver: Approver }): Promise<Session>;
  /** More tools of servers than this are found by `tool_search`. 20 where it is left out; `"never"` lists all. */
  readonly searchAbove?: number | "never";
  /** What the gateway calls itself. */
  readonly info?: { readonly name: string; readonly version: string };
  /** Told of what nobody else would learn of. Never holds arguments or results. */
  readonly onNote?: (note: string) => void;
}
