/** What kind of value stands under a name. */
export type NamedKind =
  | "password"
  | "secret"
  | "authorization"
  | "cookie"
  | "card"
  | "ssn"
  | "pin"
  | "card-code"
  | "codes";

/** What stands under the name of a secret. */
export interface SecretName {
  readonly kind: NamedKind;
  /** What a replaced value is called. */
  readonly mark: string;
  /** How many digits a number has at least that is one. Fewer are a count or an index. Without it, none is. */
  readonly digits?: number;
}

/** What a key must be for, so that it is one to keep. `key` alone is a key on a keyboard, or of a map. */
const KEYS = [
  ...[
    "api",
    "access",
    "secret",
    "private",
    "signing",
    "encryption",
    "decryption",
    "account",
    "shared",
    "master",
  ],
  ...[
    "auth",
    "license",
    "service",
    "deploy",
    "client",
    "webhook",
    "app",
    "application",
    "bot",
    "admin",
    "write",
  ],
  ...[
    "ingest",
    "unseal",
    "storage",
    "consumer",
    "subscription",
    "session",
    "server",
    "integration",
    "routing",
  ],
  ...["rest", "sdk", "hmac", "jwt", "token", "recovery", "root", "crypto", "ssh", "rsa", "aes", "cosmos"],
];

/** Words for passwords in other languages, as far as they are written with plain letters. */
const OTHER_LANGUAGES = [
  ...["passwort", "kennwort", "motdepasse", "contrasena", "senha", "wachtwoord", "lozinka"],
  ...["losenord", "adgangskode", "salasana", "parola", "heslo", "jelszo", "haslo"],
];

const WORDS =
  `${OTHER_LANGUAGES.join("|")}|mot[ _-]de[ _-]passe|(?:recovery|backup)[ _-]?codes?|client[ _-]?key[ _-]?data|`.concat(
    "passw(?:or)?d|pass[ _-]?phrase|passcode|pwd|pass|pw|psk|secret|token|jwt|auth(?:orization)?|credentials?|cookie|connection[ _-]?string|conn[ _-]?str|ssn|social[ _-]?security(?:[ _-]?(?:number|no))?|(?:credit[ _-]?)?card(?:[ _-]?(?:number|no|num))?|pan|pin|t?otp|cv[vc]2?|(?:pin|t?otp|mfa|verification|security)[ _-]?code",
  );

/** Names of values that lead from page to page, count or describe, and of which nothing is secret. */
const NO_SECRET =
  /(?:^|[^a-z])(?:next|page|prev|previous|continuation|sync|resume|start|progress|cancel(?:lation)?|cursor|syntax|eos|bos|pad|unk|mask|stop|first|last|end|snapshot|change|batch|delta|watermark|design|color|max|min|num|per|total|public|primary|foreign|idempotency|cache)[ _-]?(?:token|key)s?$|(?:^|[ _-])(?:by|com|sur|tres|over|under)[ _-]?pass$/;

/** Words that are no part of another one. */
const WHOLE = new RegExp(`(?:^|[^a-z])(?:${WORDS}|(?:${KEYS.join("|")})[ _.-]?key)$`);
/** Ends of names that are rare enough within one word: `PGPASSWORD`, `mytoken`. */
const ENDING = /(?:passw(?:or)?d|passphrase|secret|token|credentials|api_?key|access_?key)$/;
/** As variables of an environment are written. */
const CAPITAL_KEY = /[A-Z0-9]_KEY$/;

/**
 * The kind of secret that a name is for: `password`, `DB_PASSWORD`, `clientSecret`, `x-api-key`, `api key`. `undefined` if it
 * is for none.
 */
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
  if (!WHOLE.test(plain) && !ENDING.test(plain) && !CAPITAL_KEY.test(name)) return undefined;
  return KINDS.find(([ending]) => ending.test(plain))?.[1];
}

/** Keys that are numbers elsewhere than in a table: `account_key` is often one of its rows. */
const NUMBERED_KEY =
  /(?:api|access|secret|private|signing|encryption|shared|master|auth|admin|license|recovery|unseal|token)[ _.-]?key$/;

const KINDS: readonly (readonly [ending: RegExp, name: SecretName])[] = [
  // Tests pass as well, and are counted.
  [/(?:^|[^a-z])(?:pass|pw)$/, { kind: "password", mark: "password", digits: 6 }],
  [/passw(?:or)?d$|phrase$|passcode$|pwd$|pass$|pw$|psk$/, { kind: "password", mark: "password", digits: 4 }],
  [new RegExp(`(?:${OTHER_LANGUAGES.join("|")}|passe)$`), { kind: "password", mark: "password", digits: 4 }],
  [/(?:recovery|backup)[ _-]?codes?$/, { kind: "codes", mark: "recovery-codes" }],
  [/key[ _-]?data$/, { kind: "secret", mark: "private-key" }],
  [/cv[vc]2?$|security[ _-]?code$/, { kind: "card-code", mark: "card-code", digits: 3 }],
  [/pin$|otp$|code$/, { kind: "pin", mark: "pin", digits: 4 }],
  [/auth(?:orization)?$/, { kind: "authorization", mark: "authorization" }],
  [/cookie$/, { kind: "cookie", mark: "cookie" }],
  // The tokens of a model have numbers too, of up to six digits.
  [/token$|jwt$/, { kind: "secret", mark: "token", digits: 8 }],
  [NUMBERED_KEY, { kind: "secret", mark: "key", digits: 6 }],
  [/key$/, { kind: "secret", mark: "key" }],
  [/ssn$|security(?:[ _-]?(?:number|no))?$/, { kind: "ssn", mark: "ssn", digits: 9 }],
  [/card(?:[ _-]?(?:number|no|num))?$|pan$/, { kind: "card", mark: "card-number", digits: 13 }],
  [/conn/, { kind: "password", mark: "connection-string" }],
  [/./, { kind: "secret", mark: "secret", digits: 6 }],
];

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
