/** What the index knows of one tool. All of it may come from a server that nobody trusts. */
export interface ToolEntry {
  /** Unique in an index; what a search gives back. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** The names and descriptions of the parameters, as running text. */
  readonly parameters: string;
  /** The server or source the tool came from, so that it can be searched for by that name too. */
  readonly server?: string;
}
