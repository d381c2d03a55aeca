import { createRegistry, type Diagnostic, type Tool } from "@toolkeep/core";
import { assertKnownKeys, invalidOption, withRegistration } from "@toolkeep/core/internal";
import { memoryAcceptedServers } from "../servers/memory-accepted-servers.ts";
import { entriesOf, isServerConfig, type McpServerConfig } from "../servers/server-config.ts";
import type { McpSource, McpSourceOptions, ServerReport, ToolInReview } from "./mcp-source.ts";
import { openMcpSource } from "./open-mcp-source.ts";

/** MCP servers that were started, and their tools. */
export interface McpServers extends AsyncDisposable {
  /**
   * The tools that can be used now, for `createSession({ tools })`. They carry their origin, so that their results are
   * treated as untrusted. Read it again after a server has changed its tools.
   */
  readonly tools: readonly Tool[];
  /** The servers that are not connected, and the tools that await review or are refused. */
  readonly diagnostics: readonly Diagnostic[];
  /** Ends every server with its processes. Safe to call twice. */
  close(): Promise<void>;
}

/** Options of `openMcpServers`. */
export interface McpServersOptions
  extends Omit<McpSourceOptions, "registry" | "accepted" | "connect" | "owner"> {
  readonly servers: Readonly<Record<string, McpServerConfig>>;
  /** Remembers the reviewed definitions of tools. Default: for the lifetime of the process. */
  readonly accepted?: McpSourceOptions["accepted"];
  /** What a server that does not start does: `throw` (default), or `report` in `diagnostics` and retry. */
  readonly ifUnavailable?: "throw" | "report";
}

const OPTIONS: Readonly<Record<keyof McpServersOptions, true>> = {
  servers: true,
  accepted: true,
  ifUnavailable: true,
  settings: true,
  maps: true,
  sandbox: true,
  folder: true,
  oauth: true,
  environment: true,
  naming: true,
  consent: true,
  onNote: true,
};

/**
 * Starts MCP servers and makes their tools available as Toolkeep tools.
 * @param options The servers by name, or an object of options with `servers`.
 * @throws ToolkeepError `invalid_option` for invalid options, and for a server that does not start, unless
 * `ifUnavailable` is `"report"`. All servers are ended then.
 * @example
 * ```ts
 * await using servers = await openMcpServers({
 *   files: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."] },
 * });
 * await using session = await createSession({ tools: servers.tools, policy });
 * ```
 */
export async function openMcpServers(
  options: McpServersOptions | Readonly<Record<string, McpServerConfig>>,
): Promise<McpServers> {
  const { servers, ifUnavailable = "throw", accepted = memoryAcceptedServers(), ...more } = checked(options);
  const entries = entriesOf(servers);
  const registry = createRegistry();
  const source = openMcpSource({ ...more, accepted, registry });
  try {
    await Promise.all(entries.map((entry) => source.add(entry)));
    if (ifUnavailable === "throw") assertConnected(source);
  } catch (error) {
    await source.close();
    throw error;
  }
  return {
    get tools() {
      return registry.list().map(({ tool, origin }) => withRegistration(tool, { origin }));
    },
    get diagnostics() {
      return diagnosticsOf(source);
    },
    close: () => source.close(),
    [Symbol.asyncDispose]: () => source.close(),
  };
}

function checked(options: McpServersOptions | Readonly<Record<string, McpServerConfig>>): McpServersOptions {
  const { servers } = options as McpServersOptions;
  if (servers === undefined || isServerConfig(servers))
    return { servers: options as Readonly<Record<string, McpServerConfig>> };
  assertKnownKeys(options, Object.keys(OPTIONS), "MCP option");
  return options as McpServersOptions;
}

function assertConnected(source: McpSource): void {
  const failed = source.servers.flatMap((report) => unavailable(report));
  if (failed.length === 0) return;
  throw invalidOption(failed.map(({ message }) => message).join(" "));
}

function diagnosticsOf(source: McpSource): readonly Diagnostic[] {
  return source.servers.flatMap((report) => [
    ...unavailable(report),
    ...report.inReview.map((tool) => reviewDiagnostic(report.entry.name, tool)),
  ]);
}

function unavailable({ entry, status }: ServerReport): readonly Diagnostic[] {
  if (status.state === "ready") return [];
  const message = `The MCP server ${JSON.stringify(entry.name)} is not connected (${status.state}). ${status.reason ?? ""}`;
  return [{ code: `server_${status.state}`, subject: entry.name, message: message.trim() }];
}

function reviewDiagnostic(server: string, { tool, why, reasons }: ToolInReview): Diagnostic {
  const name = JSON.stringify(tool);
  const because = reasons.length === 0 ? "" : `: ${reasons.join("; ")}`;
  return why === "refused"
    ? {
        code: "tool_refused",
        subject: server,
        message: `The tool ${name} of ${server} is refused${because}.`,
      }
    : {
        code: "tool_in_review",
        subject: server,
        message: `The tool ${name} of ${server} awaits review (${why})${because}.`,
        hint: "Review its definition, then accept it through `consent`.",
      };
}
