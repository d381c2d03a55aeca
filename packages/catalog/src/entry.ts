import { patternOf } from "./word-pattern.ts";

/** What a file under `programs/` says about a program. `program.schema.json` describes each field. */
export interface ProgramEntry extends CommandEntry {
  readonly program: string;
  /** Other names of the same program; `*` stands for any characters, as in `python3*`. */
  readonly aliases?: string;
  /** Where it was read: pages of its manual, or `man`, `--help` with the version. */
  readonly source: readonly string[];
  /**
   * How options are written. `gnu`: short ones in groups, long ones with two dashes. `words`: each is a word of its own
   * with one dash or two, as in Go and Java. `letters`: as `gnu`, and the first word may be a group without a dash, as in
   * `tar xzf`. `text`: no word is an option.
   */
  readonly style?: "gnu" | "words" | "letters" | "text";
  /** The language of its statements: a name in `statements/dialects.json`, or several, of which it may be any. */
  readonly dialect?: string;
  /** Without files it reads its input and prints: what feeds it says what it does. */
  readonly filter?: true;
  /** What it may do where a word is not known: the worst of it. */
  readonly otherwise: string;
  /** Options that stand before the subcommand; after it they may be others. */
  readonly before?: OptionEntry;
  /** Usual options that stand before the subcommand. */
  readonly usualBefore?: string;
  /** Subcommands, one or more words each; `*` stands for any characters of a word, `|` divides alternatives. */
  readonly commands?: Readonly<Record<string, string | CommandEntry>>;
  /** Lines and what they do, in the words of `does`; a `?` at the end: something in it is not known. */
  readonly examples: readonly (readonly [line: string, does: string])[];
}

/** What a program, or a subcommand of it, does and takes. What is left out is as in what it belongs to. */
export interface CommandEntry {
  /** Capabilities, with single spaces between them. `nothing`: it prints something about itself. `statements`: what these say. */
  readonly does?: string;
  /** What it does instead where it has no operands. */
  readonly alone?: string;
  readonly options?: OptionEntry;
  /** What its operands are, in order; the last one stands for all that follow. Left out: they are not known. */
  readonly operands?: string;
  /** The file or folder that it takes where none is named. */
  readonly default?: string;
  /** What it does besides if an operand matches one of these patterns, with single spaces between them. */
  readonly naming?: Readonly<Record<string, string>>;
  /** Options with which it runs, changes and reaches no more than without: a rule with a `*` covers them. */
  readonly usual?: string;
  /** What it is with one of these options, as in `tar -t`. The first one that is written counts. */
  readonly with?: Readonly<Record<string, string | CommandEntry>>;
}

/** Options by what follows from them, as spellings with single spaces between them. */
export interface OptionEntry {
  /** Nothing follows from it. */
  readonly plain?: string;
  /** Its value is a file or folder that is read. */
  readonly reads?: string;
  /** Its value is a file or folder that is written. */
  readonly writes?: string;
  /** Its value is a host, or an address. */
  readonly hosts?: string;
  /** Its value stands instead of the first operand, as that of `grep -e`. */
  readonly first?: string;
  /** Its value is a command or code that is run. */
  readonly runs?: string;
  /** Its value is a statement for a database. */
  readonly statements?: string;
  /** Its value is a program for jq. */
  readonly jq?: string;
  /** A command follows, up to `;` or `+`. */
  readonly commands?: string;
  /** All words that follow are a command. */
  readonly rest?: string;
  /** What the command does instead, by spellings. */
  readonly makes?: Readonly<Record<string, string>>;
  /** What the command does besides, by spellings. */
  readonly adds?: Readonly<Record<string, string>>;
}

/** Whether a program that an entry describes has this name; `exactly`: by no pattern. */
export function isNameOf(
  { program, aliases = "" }: ProgramEntry,
  name: string,
  exactly?: "exactly",
): boolean {
  const names = [program, ...aliases.split(" ").filter((alias) => alias !== "")];
  return names.some((one) => (exactly === undefined ? patternOf(one).test(name) : one === name));
}
