/**
 * Port: what a tool may ask about the world while it says what it is about to do. Every answer is
 * recorded, so a restarted or replayed call foresees the same.
 */
export interface Foresee {
  /** The absolute path with links resolved, also for a file that does not exist yet. */
  canonicalPath(path: string): Promise<string>;
  /** The simple commands in a command line, or why it is not plain. */
  parseCommand(line: string): Promise<ParsedCommand>;
}

export type ParsedCommand =
  | { readonly plain: true; readonly commands: readonly SimpleCommand[] }
  | { readonly plain: false; readonly reason: string };

export interface SimpleCommand {
  readonly argv: readonly string[];
  readonly redirects: readonly { readonly access: "read" | "write"; readonly path: string }[];
}
