import { expression, rowsByName, WRAPPERS as table, wordsIn } from "@toolkeep/catalog/internal";

export const PLAIN_PROGRAM = /^[\w@:,./][\w@+:,./-]*$/;

export const SHELLS = wordsIn(table.shells);

/** How to find the command in the args of a wrapper. */
export interface Prefix {
  /** Options whose value is the next argument. */
  readonly valued?: string;
  /** Options that take none. */
  readonly flags?: RegExp;
  /** How many args are between the options and the command. */
  readonly operands?: number;
  /** The option whose value is a whole command as one text. */
  readonly text?: string;
}

type PrefixRow = Omit<Prefix, "flags"> & { readonly flags?: string };

export const NO_OPTIONS: Prefix = {};

export const PREFIXES = rowsByName<PrefixRow, Prefix>(table.prefixes, prefix);

/** Options of `xargs` that leave the command as it is, and take names from nowhere else. */
export const FEEDING = prefix(table.feeding);

/** Looking a command up is not running it. */
export const LOOKUP = expression(table.lookup);

/** Commands that run one text when they are given this option. */
export const TEXT_OPTIONS = new Map(Object.entries(rowsByName(table.textOptions, expression)));

export const WATCH = prefix(table.watch);

export const FINDERS = rowsByName(table.finders, expression);

function prefix({ flags, ...known }: PrefixRow): Prefix {
  return flags === undefined ? known : { ...known, flags: expression(flags) };
}
