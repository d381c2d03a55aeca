/** What a command does, as far as its entry says. */
export interface Reading {
  readonly program: string;
  /** The words of its subcommand. */
  readonly words: readonly string[];
  /** Capabilities; empty where it only says something about itself. */
  readonly does: readonly string[];
  /** Whether every word is known, so that it does nothing else. */
  readonly isWhole: boolean;
  readonly reads: readonly string[];
  /** Files and folders that it looks at from outside: their names, sizes and times. */
  readonly lists: readonly string[];
  readonly writes: readonly string[];
  readonly deletes: readonly string[];
  /** What is no longer where it was, and is kept elsewhere: at a file that is written, or in a repository. */
  readonly moves: readonly string[];
  /** Other commands that it runs here. */
  readonly runs: readonly (readonly string[])[];
  /** Statements for a database. */
  readonly statements: readonly string[];
  readonly hosts: readonly string[];
}

/** A command, and which of its words a shell makes other words of, by their index. */
export interface GivenCommand {
  readonly argv: readonly string[];
  readonly expands: readonly number[];
}

/** Finds the reading of another command, for one that runs it. */
export type ReadOther = (command: GivenCommand) => Reading | undefined;
