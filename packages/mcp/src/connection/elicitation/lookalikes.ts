import { LETTERS_ALIKE } from "./letters-alike.ts";

/** Where the letters in filled circles and squares begin, and those of flags. */
const PICTURES = [0x1f150, 0x1f170, 0x1f1e6];
const LETTERS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(LETTERS_ALIKE).flatMap(([letter, others]) =>
    [...others].map((other) => [other, letter] as const),
  ),
  ...[..."abcdefghijklmnopqrstuvwxyz"].flatMap((letter, at) =>
    PICTURES.map((start) => [String.fromCodePoint(start + at), letter] as const),
  ),
]);

/** A text as it looks: in lower case, with plain letters for those that look like them. */
export function looksLike(text: string): string {
  return [...text.normalize("NFKC")]
    .map((char) => LETTERS.get(char) ?? LETTERS.get(char.toLowerCase()) ?? char.toLowerCase())
    .join("");
}
