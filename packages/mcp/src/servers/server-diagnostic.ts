/** Something about servers or their settings that the user should fix. Contains no secrets. */
export interface ServerDiagnostic {
  readonly file?: string;
  /** Counted from 1, if it is known. */
  readonly line?: number;
  readonly server?: string;
  /** What is wrong, and the consequence. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
}

/** One line for the user. The names in it are untrusted: show it through `terminalText`. */
export function diagnosticText({ file, line, server, message, hint }: ServerDiagnostic): string {
  const location = file === undefined ? "" : `${file}${line === undefined ? "" : `:${line}`}: `;
  const whose = server === undefined ? "" : `server ${JSON.stringify(server)}: `;
  return `${location}${whose}${message}${hint === undefined ? "" : ` ${hint}`}`;
}
