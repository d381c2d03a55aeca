import { LETTERS_ALIKE } from "./letters-alike.ts";

const LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries(LETTERS_ALIKE).flatMap(([letter, others]) => [...others].map((other) => [other, letter])),
);

/** A text as it looks: in lower case, with plain letters for those that look like them. */
export function looksLike(text: string): string {
  return [...text.normalize("NFKC")]
    .map((char) => LETTERS.get(char) ?? LETTERS.get(char.toLowerCase()) ?? char.toLowerCase())
    .join("");
}
