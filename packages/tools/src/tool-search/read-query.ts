import { splitWords } from "./split-words.ts";
import { stemWord } from "./stem-word.ts";
import { isTelling } from "./stop-words.ts";

/** The terms of a query and their weights. */
export type Terms = ReadonlyMap<string, number>;

/** A query, as a whole and by sentence: each sentence may ask for another tool. */
export interface Query {
  readonly whole: Terms;
  /** Empty if there is only one. */
  readonly clauses: readonly Terms[];
}

/** Reads a query; ignores everything after the first 4,096 characters. */
export function readQuery(text: string): Query {
  const start = text.slice(0, LONGEST_QUERY);
  const query = readClauses(start, isTelling);
  return query.whole.size > 0 ? query : readClauses(start, () => true);
}

const LONGEST_QUERY = 4_096;
const MOST_CLAUSES = 12;
const CLAUSE_END = /(?<=[.?!;])\s+|[\n。！？；]+/;
const JOINED_WEIGHT = 0.4;

function readClauses(text: string, counts: (word: string) => boolean): Query {
  const whole = new Map<string, number>();
  const clauses: Terms[] = [];
  for (const clause of text.split(CLAUSE_END)) {
    const terms = readTerms(clause, counts);
    for (const [term, weight] of terms) whole.set(term, Math.max(weight, whole.get(term) ?? 0));
    if (terms.size > 0 && clauses.length < MOST_CLAUSES) clauses.push(terms);
  }
  return { whole, clauses: clauses.length > 1 ? clauses : [] };
}

function readTerms(clause: string, counts: (word: string) => boolean): Terms {
  const { words, wholes } = splitWords(clause);
  const terms = new Map<string, number>();
  for (const word of words) if (counts(word)) terms.set(stemWord(word), 1);
  for (const whole of wholes) terms.set(stemWord(whole), 1);
  if (terms.size === 0) return terms;
  // `export chat` may mean a tool named `exportchat`.
  for (let at = 0; at + 1 < words.length; at += 1) {
    const joined = stemWord(`${words[at]}${words[at + 1]}`);
    if (!terms.has(joined)) terms.set(joined, JOINED_WEIGHT);
  }
  return terms;
}
