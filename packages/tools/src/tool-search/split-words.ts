import { onDemand } from "@toolkeep/core/internal";

/** The words of a text in lower case. */
export interface SplitText {
  /** Every word, in order; an identifier is split into its parts. */
  readonly words: readonly string[];
  /** Short identifiers as a whole: `github`, `oauth2`, `s3`. */
  readonly wholes: readonly string[];
  /** Single characters of scripts without spaces between words; `words` contains them in pairs. */
  readonly characters: readonly string[];
}

/** Splits a text at everything that is not a letter or digit, and identifiers between their parts. */
export function splitWords(text: string): SplitText {
  const split = { words: [], wholes: [], characters: [] };
  if (ASCII.test(text)) {
    for (const run of text.match(ASCII_RUN) ?? []) splitIdentifier(run, split);
    return split;
  }
  for (const run of foldMarks(text).match(RUN()) ?? []) {
    if (UNSPACED().test(run)) splitUnspaced(run, split);
    else splitIdentifier(run, split);
  }
  return split;
}

interface Collected {
  readonly words: string[];
  readonly wholes: string[];
  readonly characters: string[];
}

// Longer ones are keys and hashes, which are not searched for.
const LONGEST_WORD = 40;
const MOST_PARTS_OF_A_WHOLE = 3;

const ASCII = /^[\0-\x7f]*$/;
const ASCII_RUN = /[A-Za-z0-9]+/g;
const RUN = onDemand(() => /[\p{L}\p{M}\p{N}]+/gu);
const ONE_WORD = onDemand(() => /^(?:[A-Z]?[a-z]+|\p{Lu}?[\p{Ll}\p{Lo}\p{M}]+|\p{Lu}+|\p{N}+)$/u);
const BOUNDARY = onDemand(
  () => /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{N})(?=\P{N})|(?<=\P{N})(?=\p{N})/u,
);
const SCRIPTS = ["Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar"];
const UNSPACED_CLASS = SCRIPTS.map((script) => `\\p{scx=${script}}`).join("");
const UNSPACED = onDemand(() => new RegExp(`[${UNSPACED_CLASS}]`, "u"));
const UNSPACED_OR_NOT = onDemand(() => new RegExp(`[${UNSPACED_CLASS}]+|[^${UNSPACED_CLASS}]+`, "gu"));
const LATIN_MARKS = /[\u0300-\u036f]/g;

function splitIdentifier(run: string, { words, wholes }: Collected): void {
  if (ONE_WORD().test(run)) {
    if (run.length <= LONGEST_WORD) words.push(run.toLowerCase());
    return;
  }
  const parts = run.split(BOUNDARY());
  for (const part of parts) if (part.length <= LONGEST_WORD) words.push(part.toLowerCase());
  if (parts.length <= MOST_PARTS_OF_A_WHOLE && run.length <= LONGEST_WORD) wholes.push(run.toLowerCase());
}

function splitUnspaced(run: string, split: Collected): void {
  for (const piece of run.match(UNSPACED_OR_NOT()) ?? []) {
    if (!UNSPACED().test(piece)) {
      splitIdentifier(piece, split);
      continue;
    }
    const characters = [...piece];
    for (const [at, character] of characters.entries()) {
      const next = characters[at + 1];
      if (next !== undefined) split.words.push(character + next);
      split.characters.push(character);
    }
    if (characters.length === 1) split.words.push(piece);
  }
}

/** `Café` and `cafe` are the same word, as are full-width and ordinary letters. */
function foldMarks(text: string): string {
  return text.normalize("NFKD").replace(LATIN_MARKS, "").normalize("NFC");
}
