import { looksLike } from "./lookalikes.ts";
import { DIGITS, FOREIGN, PAIRS, PARTS, WORDS } from "./secret-word-list.ts";

/**
 * Whether a text asks for a secret: a password, a key, a token and the like, however its words are joined, and also with
 * accents, letters of other alphabets or digits that look like its own.
 */
export function asksForSecret(text: string): boolean {
  const plain = (one: string) => one.replaceAll(/[013457@$!|]/g, (char) => DIGITS[char] ?? char);
  // A mark may make the text read from right to left.
  const seen = text.includes("\u202e") ? [text, [...text].reverse().join("")] : [text];
  return (
    FOREIGN.test(text.normalize("NFKC").toLowerCase()) ||
    seen.flatMap((one) => [one, plain(one), plain(one.toLowerCase())]).some((one) => isSecret(wordsOf(one)))
  );
}

function isSecret(words: readonly string[]): boolean {
  return words.some(
    (word, at) => WORDS.has(word) || PARTS.test(word) || PAIRS.has(`${word} ${words[at + 1]}`),
  );
}

function wordsOf(text: string): readonly string[] {
  const split = text
    // Before the letters are taken apart, which changes some that are not shown.
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .normalize("NFKD")
    .replaceAll(/[\p{Cf}\p{M}]/gu, "")
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2");
  // Letters that stand alone are read as one word.
  return looksLike(split)
    .replaceAll("ß", "ss")
    .replaceAll(/(?<![\p{L}\p{N}])\p{L}(?:[^\p{L}\p{N}]\p{L}(?![\p{L}\p{N}]))+/gu, (letters) =>
      letters.replaceAll(/[^\p{L}]/gu, ""),
    )
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}
