import { addressPassword, bearer, encodedPassword, pgpassPassword } from "./address-secrets.ts";
import { pairOptionValue, shortOptionValue, sqlValue } from "./command-secrets.ts";
import { IBAN_COUNTRIES, iban } from "./iban.ts";
import type { FoundSecret } from "./named-values.ts";
import { type Around, codesOf, isLonger, PairTable, rarestPair } from "./pairs.ts";
import { endOfKey, KEY_START } from "./private-key.ts";
import { NAME_ENDINGS } from "./secret-names.ts";
import { DIGITS, SECRET_PATTERNS, type SecretPattern, STARTS_WORD } from "./secret-patterns.ts";
import type { SecretShape } from "./secret-shape.ts";
import { PASSWORD_LETTERS, PROGRAM_WORDS } from "./short-options.ts";
import { TOKEN_PREFIXES, type TokenPrefix } from "./token-prefixes.ts";
import { nameShape, programShape } from "./word-shapes.ts";

function shape({
  name,
  back,
  hint,
  pattern,
  lead = 0,
}: Omit<SecretPattern, "firsts" | "seconds">): SecretShape {
  const hints = new RegExp(hint, "y");
  const whole = new RegExp(pattern, "y");
  const hasHint = (text: string, at: number) => {
    hints.lastIndex = at - back;
    return at >= back && hints.test(text);
  };
  return {
    hint: hasHint,
    find: (text, at) => (hasHint(text, at) ? found(whole, text, at - back, { name, lead }) : undefined),
  };
}

/** The pattern at a position. */
function found(
  whole: RegExp,
  text: string,
  start: number,
  { name, lead }: { readonly name: string; readonly lead: number },
): FoundSecret | undefined {
  whole.lastIndex = start;
  const match = whole.exec(text);
  if (match === null) return undefined;
  const end = whole.lastIndex;
  const secret = match[1] === undefined ? start - leadOf(text, start, lead) : end - match[1].length;
  return { start: secret, end, name };
}

function leadOf(text: string, start: number, most: number): number {
  let length = 0;
  while (length < most && /[A-Za-z0-9_]/.test(text.charAt(start - length - 1))) length += 1;
  return length;
}

/** A prefix that many words begin with. Its token has more than so many characters after it. */
const SHORT_PREFIX = 3;
const SHORTEST_REST = 6;

/** The expression is made for the first text that has the prefix. */
function prefixShape(prefix: string, back: number, token: TokenPrefix): SecretShape {
  let whole: RegExp | undefined;
  const codes = codesOf(prefix);
  return {
    hint: (text, at) =>
      isAt(text, at - back, codes) &&
      (codes.length > SHORT_PREFIX || isLonger(text, at - back + codes.length, SHORTEST_REST)),
    find(text, at) {
      if (!isAt(text, at - back, codes)) return undefined;
      whole ??= new RegExp(
        `${token.startsWord ? STARTS_WORD : ""}${RegExp.escape(prefix)}${token.rest}`,
        "y",
      );
      return found(whole, text, at - back, token);
    },
  };
}

/** As `startsWith`, which takes longer to call than a look at the first two characters. */
function isAt(text: string, start: number, codes: readonly number[]): boolean {
  for (let index = 0; index < codes.length; index += 1)
    if (text.charCodeAt(start + index) !== codes[index]) return false;
  return true;
}

const key = new RegExp(KEY_START, "y");

function keyShape(marker: string, back: number, before: number): SecretShape {
  return {
    hint: (text, at) => text.startsWith(marker, at - back),
    find(text, at) {
      const start = at - back - before;
      key.lastIndex = start;
      if (start < 0 || !text.startsWith(marker, at - back) || !key.test(text)) return undefined;
      return { start, end: endOfKey(text, start, key.lastIndex), name: "private-key" };
    },
  };
}

/** What finds its value decides by the looks of it; its hint is what it finds. */
function named(find: SecretShape["find"], hint?: SecretShape["hint"]): SecretShape {
  return { hint: hint ?? ((text, at) => find(text, at) !== undefined), find, isNamed: true };
}

/** A JSON Web Key says somewhere within one object what kind it is of: what is private in it is found from there. */
export const WEB_KEY: SecretShape = {
  hint: (text, at) => text.startsWith("kty", at - 1),
  find: () => undefined,
};

const ALL = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join("");

/**
 * What a secret is known by, apart from the prefixes of tokens, by pairs of characters: any of the first ones before any of
 * the second ones. Guesses by entropy are made only under the name of a secret, because a redacted git hash or checksum
 * would break honest results.
 */
const OTHER_SHAPES: readonly (readonly [
  firsts: string,
  seconds: string,
  shape: SecretShape,
  around?: Around | undefined,
])[] = [
  ...SECRET_PATTERNS.map(
    ({ firsts, seconds, around, ...pattern }) => [firsts, seconds, shape(pattern), around] as const,
  ),
  ["E", "G", keyShape("BEGIN", 2, "-----".length), { before: "B" }],
  ["-", "L", keyShape("Private-Lines:", 8, 0), { before: "e" }],
  ["k", "t", WEB_KEY, { after: "y" }],
  [
    ALL,
    "@",
    {
      hint: (text, at) => addressPassword(text, at, true) !== undefined,
      find: (text, at) => addressPassword(text, at, false),
    },
  ],
  ["%", "4", { hint: (text, at) => encodedPassword(text, at) !== undefined, find: encodedPassword }],
  [DIGITS, ":", named(pgpassPassword)],
  [
    "ABDEGHIKLMNORSTUVYZ",
    DIGITS,
    { hint: (text, at) => iban(text, at) !== undefined, find: iban },
    IBAN_COUNTRIES,
  ],
  ["Bb", "e", named(bearer, (text, at) => text.startsWith("earer", at)), { after: "a" }],
  [" \t\"'", "-", named(shortOptionValue), { after: PASSWORD_LETTERS }],
  ["-", "u", named(pairOptionValue), { before: "-y", after: "s" }],
  [" ", "'", named(sqlValue), { before: "yYdD" }],
];

let table: PairTable<SecretShape> | undefined;

/** Where to look for what. Made with the first text, because importing the package must not take long. */
export function shapes(): PairTable<SecretShape> {
  table ??= tableOf();
  return table;
}

function tableOf(): PairTable<SecretShape> {
  const made = new PairTable<SecretShape>();
  for (const token of TOKEN_PREFIXES)
    for (const prefix of token.prefixes) {
      const at = rarestPair(prefix);
      const around = { before: prefix[at - 2], after: prefix[at + 1] };
      made.add(prefix.slice(at - 1, at + 1), prefixShape(prefix, at, token), around);
    }
  for (const word of NAME_ENDINGS) {
    const at = pairOf(word);
    const one = nameShape(word, at);
    const around = { before: either(word[at - 2]), after: either(word[at + 1]) };
    for (const first of either(word[at - 1]) ?? "")
      for (const second of either(word[at]) ?? "") made.add(first + second, one, around);
  }
  for (const word of PROGRAM_WORDS) {
    const at = rarestPair(word);
    const around = { before: word[at - 2], after: word[at + 1] };
    made.add(word.slice(at - 1, at + 1), programShape(word, at), around);
  }
  for (const [firsts, seconds, one, around] of OTHER_SHAPES)
    for (const first of firsts) for (const second of seconds) made.add(first + second, one, around);
  return made;
}

/** The rarest pair, but for what `string` has too: code is full of it. */
function pairOf(word: string): number {
  if (word.startsWith("pin")) return 1;
  return word.startsWith("conn") ? 3 : rarestPair(word);
}

/** A character in either case. */
function either(char: string | undefined): string | undefined {
  const upper = char?.toUpperCase();
  return char === undefined || char === upper ? char : char + upper;
}
