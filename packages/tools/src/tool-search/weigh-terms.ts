import { splitWords } from "./split-words.ts";
import { stemWord } from "./stem-word.ts";
import { isTelling } from "./stop-words.ts";
import type { ToolEntry } from "./tool-entry.ts";

/**
 * The weight of each term in this tool, from just above 0 to 2.5: BM25 over its fields, without the rarity of the term.
 * It depends on the tool alone, so that adding or removing other tools does not change it.
 */
export function weighTerms(entry: ToolEntry): ReadonlyMap<string, number> {
  const frequencies = new Map<string, number>();
  for (const field of FIELDS) countTerms(frequencies, { field, entry });
  for (const [term, frequency] of frequencies) {
    frequencies.set(term, (frequency * (SATURATION + 1)) / (frequency + SATURATION));
  }
  return frequencies;
}

interface Field {
  readonly weight: number;
  /** A typical number of words. Fixed, where BM25 would take the average of all tools. */
  readonly usualLength: number;
  /** Characters beyond this are ignored: a server cannot make its tool slow or large. */
  readonly longest: number;
  text(entry: ToolEntry): string;
}

interface FieldOfEntry {
  readonly field: Field;
  readonly entry: ToolEntry;
}

const FIELDS: readonly Field[] = [
  { weight: 2, usualLength: 5, longest: 256, text: ({ name }) => name },
  { weight: 1, usualLength: 10, longest: 4_096, text: described },
  { weight: 0.4, usualLength: 20, longest: 4_096, text: ({ parameters }) => parameters },
];
const SATURATION = 1.5;
const LENGTH_SHARE = 0.6;

function described({ server, description }: ToolEntry): string {
  return server === undefined ? description : `${server} ${description}`;
}

function countTerms(frequencies: Map<string, number>, { field, entry }: FieldOfEntry): void {
  const { words, wholes, characters } = splitWords(field.text(entry).slice(0, field.longest));
  const telling = tellingOrAll(words);
  const share = field.weight / (1 - LENGTH_SHARE + (LENGTH_SHARE * telling.length) / field.usualLength);
  for (const word of telling) add(stemWord(word));
  for (const whole of wholes) add(stemWord(whole));
  for (const character of new Set(characters)) if (!frequencies.has(character)) add(character);

  function add(term: string): void {
    frequencies.set(term, (frequencies.get(term) ?? 0) + share);
  }
}

/** A tool named `use` or `do` must still be found. */
function tellingOrAll(words: readonly string[]): readonly string[] {
  const telling = words.filter(isTelling);
  return telling.length > 0 ? telling : words;
}
