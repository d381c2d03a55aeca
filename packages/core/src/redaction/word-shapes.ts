import { netrcValue, optionValue } from "./command-secrets.ts";
import { type FoundSecret, namedValue } from "./named-values.ts";
import { codesOf } from "./pairs.ts";
import { isListed, nameUpTo, secretName, separatorAfter } from "./secret-names.ts";
import type { SecretShape } from "./secret-shape.ts";

/** What stands after a name that ends in this word: behind a separator, or as the argument of an option. */
export function nameShape(word: string, back: number): SecretShape {
  const codes = codesOf(word).map((code) => code | LOWER);
  const isWord = (text: string, at: number) => {
    // From its end: many begin in the same way.
    for (let index = codes.length - 1; index >= 0; index -= 1)
      if ((text.charCodeAt(at - back + index) | LOWER) !== codes[index]) return false;
    return true;
  };
  const find = (text: string, at: number) =>
    isWord(text, at) ? valueAfter(text, at - back + word.length) : undefined;
  const hint = (text: string, at: number) =>
    isWord(text, at) && (isNamed(text, at - back + word.length) || find(text, at) !== undefined);
  return { find, hint, isNamed: true };
}

/** The bit that tells small letters from capital ones. */
const LOWER = 32;

function valueAfter(text: string, end: number): FoundSecret | undefined {
  if (isLetter(text.charCodeAt(end))) return undefined;
  const at = separatorAfter(text, end);
  if (at !== -1) return isFolder(text, end) ? undefined : namedValue(text, at, nameUpTo(text, end));
  const isFollowed = text.charAt(end) === " " || text.charAt(end) === "\t" || text.charAt(end) === "\n";
  if (isFollowed) return optionValue(text, end) ?? netrcValue(text, end);
  return isListed(text, end) ? optionValue(text, end) : undefined;
}

/** `$PWD` is the folder of a shell. */
function isFolder(text: string, end: number): boolean {
  return text.startsWith("$PWD", end - "$PWD".length);
}

/** The name continues, as most words do that begin with one. */
function isLetter(code: number): boolean {
  const letter = code | LOWER;
  return letter >= 97 && letter <= 122;
}

function isNamed(text: string, end: number): boolean {
  const isFollowed = separatorAfter(text, end) !== -1 || isListed(text, end);
  return isFollowed && secretName(nameUpTo(text, end)) !== undefined;
}

/** A program in a list of arguments: which of them are passwords is known from the list alone. */
export function programShape(word: string, back: number): SecretShape {
  const end = word.length - back;
  return {
    hint: (text, at) =>
      text.startsWith(word, at - back) &&
      STARTS_ITEM.includes(text.charAt(at - back - 1)) &&
      endsItem(text, at + end),
    find: () => undefined,
  };
}

const STARTS_ITEM = '"/\\ ';
const REST_OF_ITEM = /[\w.-]{0,16}\\{0,16}"\s{0,8}[,\]}]/y;

function endsItem(text: string, at: number): boolean {
  REST_OF_ITEM.lastIndex = at;
  return REST_OF_ITEM.test(text);
}
