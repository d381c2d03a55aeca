/**
 * Removes the common endings of an English word, so that `files`, `converter` and `translating` match `file`, `convert`
 * and `translation`. Returns words with other characters than a to z unchanged.
 */
export function stemWord(word: string): string {
  if (word.length < 4 || !PLAIN.test(word)) return word;
  return withoutAgent(withoutFinalVowel(withoutVerbEnding(singular(word))));
}

const PLAIN = /^[a-z]+$/;
const VOWEL = /[aeiouy]/;
const SHORTEST_STEM = 4;

function singular(word: string): string {
  if (!word.endsWith("s") || word.endsWith("ss") || word.endsWith("us") || word.endsWith("is")) return word;
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /(?:ss|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.slice(0, -1);
}

function withoutVerbEnding(word: string): string {
  const ending = word.length > 5 && word.endsWith("ing") ? 3 : word.length > 4 && word.endsWith("ed") ? 2 : 0;
  if (ending === 0) return word;
  const stem = word.slice(0, -ending);
  if (!VOWEL.test(stem)) return word;
  // `running` comes from `run`, but `calling` from `call` and `passing` from `pass`.
  const doubled = stem.at(-1) === stem.at(-2) && !/[aeiouls]$/.test(stem);
  return doubled ? stem.slice(0, -1) : stem;
}

function withoutFinalVowel(word: string): string {
  if (word.length < SHORTEST_STEM) return word;
  if (word.endsWith("e")) return word.slice(0, -1);
  return word.endsWith("y") ? `${word.slice(0, -1)}i` : word;
}

/** `translator`, `translation` and `translate` get the same stem, as do `pay` and `payment`. */
function withoutAgent(word: string): string {
  for (const ending of ["ment", "ion", "or", "er"]) {
    if (word.endsWith(ending) && word.length - ending.length >= SHORTEST_STEM) {
      return word.slice(0, -ending.length);
    }
  }
  return word;
}
