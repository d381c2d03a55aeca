/** What a command does, as far as its entry says. */
export interface Reading {
  readonly program: string;
  /** The words of its subcommand. */
  readonly words: readonly string[];
  /** Capabilities; empty where it only says something about itself. */
  readonly does: readonly string[];
  /** Those that words which are not known may mean, at worst. */
  readonly feared: readonly string[];
  /** Whether every word is known, so that it does nothing else. */
  readonly isWhole: boolean;
  /** Whether it only reads its input and prints. */
  readonly isFilter: boolean;
  /** Words that are not known, as far as it is single ones. */
  readonly unknown: readonly string[];
  /** Programs for sed, awk and the like, and files, of which it is not known what is done with them. */
  readonly unclear: readonly string[];
  /** The indexes of options with which it does nothing else than without them. */
  readonly plain: readonly number[];
  readonly reads: readonly string[];
  /** Files and folders that it looks at from outside: their names, sizes and times. */
  readonly lists: readonly string[];
  readonly writes: readonly string[];
  /** What it writes if the target turns out to be a folder. */
  readonly inside: readonly string[];
  readonly deletes: readonly string[];
  /** What is no longer where it was, and is kept elsewhere: at a file that is written, or in a repository. */
  readonly moves: readonly string[];
  /** Other commands that it runs here. */
  readonly runs: readonly (readonly string[])[];
  /** Statements for PostgreSQL of which more may be found out, see `AboutWords`. */
  readonly unproved: readonly string[];
  readonly hosts: readonly string[];
}

/** What is known of a command besides its words. */
export interface AboutWords {
  /** The indexes of words that a shell makes other words of. Left out: none. */
  readonly expands?: readonly number[];
  /** The text that it is fed. Left out: nothing, or it is not known. */
  readonly fed?: string;
  /** What statements do by the parser of their database, which counts instead of what is found out here. */
  readonly parsed?: readonly (readonly [statement: string, does: string])[];
}

/** A command with all of that. */
export interface GivenCommand extends AboutWords {
  readonly argv: readonly string[];
}

/** Finds the reading of another command, for one that runs it. */
export type ReadOther = (command: GivenCommand) => Reading | undefined;

const LISTS = [
  "does",
  "feared",
  "unknown",
  "unclear",
  "reads",
  "lists",
  "writes",
  "inside",
  "deletes",
  "moves",
  "unproved",
  "hosts",
] as const;

/** What two entries say of one command: all that either of them says, and only what both know is known. */
export function joined(one: Reading, other: Reading): Reading {
  const plain = new Set(other.plain);
  const lists = LISTS.map((name) => [name, [...new Set([...one[name], ...other[name]])]]);
  return {
    ...one,
    ...Object.fromEntries(lists),
    isWhole: one.isWhole && other.isWhole,
    isFilter: one.isFilter && other.isFilter,
    plain: one.plain.filter((index) => plain.has(index)),
    runs: [...one.runs, ...other.runs],
  };
}
