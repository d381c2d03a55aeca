import type { Approver, Registry, Session } from "@toolkeep/core";
import type { RegisteredTool } from "@toolkeep/core/internal";
import type { Person } from "@toolkeep/core/ports";
import type { McpServerConfig } from "../servers/server-config.ts";
import type { ServerEntry } from "../servers/server-entry.ts";
import type {
  HttpEndpoint,
  HttpEndpointOptions,
  PeopleEndpoint,
  PeopleEndpointOptions,
  StdioEndpoint,
} from "../serving/endpoint.ts";
import type { ServeAnswers } from "../serving/serve-mcp.ts";
import type { McpSource, McpSourceOptions } from "../source/mcp-source.ts";

/** Any number of MCP servers behind one governed endpoint. */
export interface Gateway extends AsyncDisposable {
  readonly session: Session;
  readonly source: McpSource;
  /** Resolves when every server was tried once, whether it started or not. */
  readonly started: Promise<void>;
  /** @throws ToolkeepError `invalid_option` if the standard streams are served already. */
  serveStdio(): StdioEndpoint;
  /** Serves the session of the gateway to everybody who has the token. */
  serveHttp(options?: HttpEndpointOptions): Promise<HttpEndpoint>;
  /** Serves people who are who their tokens say: each has a session, a list of tools and approvals of their own. */
  servePeople(options: PeopleEndpointOptions): Promise<PeopleEndpoint>;
  /** Closes the endpoints, the session and the servers. */
  close(): Promise<void>;
}

/** Options of `openGateway`. */
export interface GatewayOptions extends Omit<McpSourceOptions, "registry" | "accepted">, ServeAnswers {
  /** The servers by name, or as they were read from files. */
  readonly servers: Readonly<Record<string, McpServerConfig>> | readonly ServerEntry[];
  /** Remembers accepted servers and tools. Default: for the lifetime of the process. */
  readonly accepted?: McpSourceOptions["accepted"];
  /**
   * Opens the session that governs every call, with the policy, stores and tool I/O of the host application. Must use
   * this registry and this approver. Called once for the gateway, and once for each principal that `servePeople` serves:
   * that session must have the principal of the person.
   */
  open(parts: GatewaySessionParts): Promise<Session>;
  /** Whether a person sees a tool. What is not listed can still be called, and the policy decides. Default: all. */
  isListed?(tool: RegisteredTool, person: Person): boolean;
  /** If servers have more tools than this, they are found by `tool_search`. Default 20; `"never"` lists all. */
  readonly searchAbove?: number | "never";
  /** The name that the gateway gives to clients. */
  readonly info?: { readonly name: string; readonly version: string };
  /** Receives diagnostics that no caller waits for. Never contains arguments or results. */
  readonly onNote?: (note: string) => void;
}

/** What a session of a gateway is opened with. */
interface GatewaySessionParts {
  readonly registry: Registry;
  readonly approver: Approver;
  /** Missing for the session of the gateway itself. */
  readonly person?: Person;
}
