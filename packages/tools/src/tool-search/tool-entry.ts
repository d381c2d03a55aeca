/** What the index stores of one tool. All of it may come from an untrusted server. */
export interface ToolEntry {
  /** Unique in an index; returned by a search. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** The names and descriptions of the parameters as plain text. */
  readonly parameters: string;
  /** The server or source of the tool, so that a search can name it. */
  readonly server?: string;
}
