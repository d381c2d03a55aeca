import type { Diagnostic } from "@toolkeep/core";

/** A diagnostic about MCP servers or their settings in one line for the user. The names in it are untrusted: show it through `terminalText`. */
export function diagnosticText({ file, line, subject, message, hint }: Omit<Diagnostic, "code">): string {
  const location = file === undefined ? "" : `${file}${line === undefined ? "" : `:${line}`}: `;
  const whose = subject === undefined ? "" : `server ${JSON.stringify(subject)}: `;
  return `${location}${whose}${message}${hint === undefined ? "" : ` ${hint}`}`;
}
