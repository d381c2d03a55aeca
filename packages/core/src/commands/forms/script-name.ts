import { rowsByName, SCRIPT_GRAMMARS, wordsIn } from "@toolkeep/catalog/internal";

/*
 * Package managers take options before the name of a script, as many as one likes. Those that are known to take no value
 * end the search at the word after them; a word after any other option may be its value or the name.
 */

interface Grammar {
  /** The command that runs a script by its name, under each of its names. */
  readonly run: ReadonlySet<string>;
  /** Options whose value is the next word. */
  readonly valued: ReadonlySet<string>;
  /** Options without a value. */
  readonly flags: ReadonlySet<string>;
}

const GRAMMARS = rowsByName(
  SCRIPT_GRAMMARS,
  ({ run, valued, flags }): Grammar => ({
    ...{ run: wordsIn(run), valued: wordsIn(valued), flags: wordsIn(flags) },
  }),
);

const MOST_NAMES = 32;

/**
 * The command with the name of its script directly after `run`, once for each word that may be the name. None where it
 * stands there already, and for commands that run no script by its name.
 */
export function scriptForms(argv: readonly string[]): readonly (readonly string[])[] {
  const [name = "", run = "", ...words] = argv;
  const rules = Object.hasOwn(GRAMMARS, name) ? GRAMMARS[name] : undefined;
  if (rules === undefined || !rules.run.has(run)) return [];
  if (run === "run" && words[0]?.startsWith("-") !== true) return [];
  const places = namePlaces(words, rules);
  // What follows the name matters to few rules; in a very long line it is left out.
  return places.map((at, index) => [
    name,
    "run",
    ...words.slice(at, index < MOST_NAMES ? words.length : at + 1),
  ]);
}

function namePlaces(words: readonly string[], { valued, flags }: Grammar): readonly number[] {
  const places: number[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word.startsWith("-")) continue;
    const before = words[at - 1] ?? "";
    if (valued.has(before)) continue;
    places.push(at);
    const mayBeValue =
      before.startsWith("-") && !before.includes("=") && !flags.has(before) && before !== "--";
    if (!mayBeValue) break;
  }
  return places;
}
