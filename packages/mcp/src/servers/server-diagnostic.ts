import type { Diagnostic } from "@toolkeep/core";

/** Something about MCP servers or their settings that the user should fix. Contains no secrets. */
export interface McpDiagnostic extends Diagnostic {
  /** The name of the server, if it is about one. */
  readonly server?: string;
}

/** One line for the user. The names in it are untrusted: show it through `terminalText`. */
export function diagnosticText({ file, line, server, message, hint }: Omit<McpDiagnostic, "code">): string {
  const location = file === undefined ? "" : `${file}${line === undefined ? "" : `:${line}`}: `;
  const whose = server === undefined ? "" : `server ${JSON.stringify(server)}: `;
  return `${location}${whose}${message}${hint === undefined ? "" : ` ${hint}`}`;
}
