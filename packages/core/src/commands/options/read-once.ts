import { readCommand } from "@toolkeep/catalog";

/** What the catalogue says of the args of a command. */
export interface ReadWords {
  /** The indexes of options with which it does nothing else. */
  readonly plain: ReadonlySet<number>;
  /** Operands of which it is not known what is done with them. */
  readonly unclear: ReadonlySet<string>;
}

const NOTHING: ReadWords = { plain: new Set(), unclear: new Set() };
const known = new WeakMap<readonly string[], ReadWords>();

/** Reads a command as one of the program of a name. Rules ask for each of its words, and many of them do. */
export function readOnce(argv: readonly string[], name: string): ReadWords {
  const words = known.get(argv) ?? wordsOf([name, ...argv.slice(1)]);
  known.set(argv, words);
  return words;
}

function wordsOf(argv: readonly string[]): ReadWords {
  const reading = readCommand(argv);
  return reading === undefined
    ? NOTHING
    : { plain: new Set(reading.plain), unclear: new Set(reading.unclear) };
}
