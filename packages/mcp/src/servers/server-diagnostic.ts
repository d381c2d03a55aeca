/** Something about servers or their settings that somebody should mend. Nothing secret is in it. */
export interface ServerDiagnostic {
  readonly file?: string;
  /** Counted from 1, where the place is known. */
  readonly line?: number;
  readonly server?: string;
  /** What is wrong, and what came of it. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
}

/** One line for a person. The names in it are foreign input: show it through `terminalText`. */
export function diagnosticText({ file, line, server, message, hint }: ServerDiagnostic): string {
  const location = file === undefined ? "" : `${file}${line === undefined ? "" : `:${line}`}: `;
  const whose = server === undefined ? "" : `server ${JSON.stringify(server)}: `;
  return `${location}${whose}${message}${hint === undefined ? "" : ` ${hint}`}`;
}
