import {
  CAPITAL_KEY,
  NAME_ENDING,
  NAME_KINDS,
  NO_SECRET,
  OTHER_LANGUAGES,
  type SecretName,
  WHOLE_NAME,
} from "./secret-name-kinds.ts";

/** What secret a name is for: `password`, `DB_PASSWORD`, `clientSecret`, `x-api-key`; `undefined` if for none. */
export function secretName(name: string): SecretName | undefined {
  const known = seen.get(name);
  if (known !== undefined) return known === NONE ? undefined : known;
  const fresh = readName(name);
  if (seen.size >= MOST_SEEN) seen.clear();
  seen.set(name, fresh ?? NONE);
  return fresh;
}

/** Names come again and again. */
const seen = new Map<string, SecretName>();
const MOST_SEEN = 1_000;
const NONE: SecretName = { kind: "secret", mark: "" };

function readName(name: string): SecretName | undefined {
  const plain = name.replaceAll(/([a-z0-9])(?=[A-Z])/g, "$1_").toLowerCase();
  if (NO_SECRET.test(plain)) return undefined;
  if (!WHOLE_NAME.test(plain) && !NAME_ENDING.test(plain) && !CAPITAL_KEY.test(name)) return undefined;
  return NAME_KINDS.find(([ending]) => ending.test(plain))?.[1];
}

const JOINTS = [" ", "_", "-", ""];
const joined = (...words: readonly string[]) => JOINTS.map((joint) => words.join(joint));

/** What names of secrets end in. Not every name that ends so is one. */
export const NAME_ENDINGS: readonly string[] = [
  ...["password", "passwd", "pwd", "pass", "pw", "passcode", "psk", "secret", "token", "jwt", "key", "auth"],
  ...["authorization", "credential", "credentials", "cookie", "card", "ssn", ...joined("pass", "phrase")],
  ...[...joined("connection", "string"), ...joined("conn", "str"), ...joined("social", "security")],
  ...[...joined("card", "number"), ...joined("card", "no"), ...joined("card", "num")],
  ...[...joined("social", "security", "number"), "pin", "otp", "cvv", "cvc", "cvv2", "cvc2"],
  ...["pin", "otp", "mfa", "verification", "security", "recovery", "backup"].flatMap((word) =>
    joined(word, "code"),
  ),
  ...["recovery", "backup"].flatMap((word) => joined(word, "codes")),
  ...[...OTHER_LANGUAGES, ...joined("mot", "de", "passe").slice(0, 3), ...joined("key", "data")],
];

const LONGEST_NAME = 64;
const MOST_BLANKS = 8;
const MOST_BACKSLASHES = 16;
const [BLANK, TAB, COLON, EQUALS, BRACKET, BACKSLASH, COMMA] = [32, 9, 58, 61, 93, 92, 44];

/** The `:` or `=` after a name that ends at `end`, in quotes or without, also in JSON within JSON. -1 where there is none. */
export function separatorAfter(text: string, end: number): number {
  let at = end;
  while (at - end < MOST_BACKSLASHES && text.charCodeAt(at) === BACKSLASH) at += 1;
  if (isQuote(text.charCodeAt(at))) at += 1;
  else at = end;
  if (text.charCodeAt(at) === BRACKET) at += 1;
  for (let left = MOST_BLANKS; left > 0 && isBlank(text.charCodeAt(at)); left -= 1) at += 1;
  if (text.charCodeAt(at) === COLON && text.charCodeAt(at + 1) === EQUALS) at += 1;
  const code = text.charCodeAt(at);
  return code === COLON || code === EQUALS ? at : -1;
}

/** Whether a name that ends at `end` is an item of a list that is followed by another one: `"--password", `. */
export function isListed(text: string, end: number): boolean {
  let at = end;
  while (at - end < MOST_BACKSLASHES && text.charCodeAt(at) === BACKSLASH) at += 1;
  if (!isQuote(text.charCodeAt(at))) return false;
  at += 1;
  for (let left = MOST_BLANKS; left > 0 && isBlank(text.charCodeAt(at)); left -= 1) at += 1;
  return text.charCodeAt(at) === COMMA;
}

/** The name that ends at a position, with the words before it, and no blanks before them. */
export function nameUpTo(text: string, end: number): string {
  return text.slice(startOfName(text, end), end);
}

function startOfName(text: string, end: number): number {
  let start = end;
  while (end - start < LONGEST_NAME && isOfName(text.charCodeAt(start - 1))) start -= 1;
  while (text.charCodeAt(start) === BLANK) start += 1;
  // Of a line end that is written out, the letter is no part of it.
  return text.charCodeAt(start - 1) === BACKSLASH && /[nrt]/.test(text.charAt(start)) ? start + 1 : start;
}

function isBlank(code: number): boolean {
  return code === BLANK || code === TAB;
}

function isQuote(code: number): boolean {
  return code === 34 || code === 39 || code === 96;
}

/** Letters, digits, `_`, `-`, `.` and blanks within a line. */
function isOfName(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45 ||
    code === 46 ||
    code === BLANK
  );
}
