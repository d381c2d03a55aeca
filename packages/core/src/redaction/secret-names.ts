/** What kind of value stands under a name. */
export type NamedKind = "password" | "secret" | "authorization" | "cookie" | "card" | "ssn";

interface SecretName {
  readonly kind: NamedKind;
  /** What a replaced value is called. */
  readonly mark: string;
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

const WORDS =
  "passw(?:or)?d|pass[ _-]?phrase|passcode|pwd|pass|pw|psk|secret|token|jwt|auth(?:orization)?|credentials?|cookie|connection[ _-]?string|conn[ _-]?str|ssn|social[ _-]?security(?:[ _-]?(?:number|no))?|(?:credit[ _-]?)?card(?:[ _-]?(?:number|no|num))?|pan";

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

const KINDS: readonly (readonly [ending: RegExp, name: SecretName])[] = [
  [/passw(?:or)?d$|phrase$|passcode$|pwd$|pass$|pw$|psk$/, { kind: "password", mark: "password" }],
  [/auth(?:orization)?$/, { kind: "authorization", mark: "authorization" }],
  [/cookie$/, { kind: "cookie", mark: "cookie" }],
  [/token$|jwt$/, { kind: "secret", mark: "token" }],
  [/key$/, { kind: "secret", mark: "key" }],
  [/ssn$|security(?:[ _-]?(?:number|no))?$/, { kind: "ssn", mark: "ssn" }],
  [/card(?:[ _-]?(?:number|no|num))?$|pan$/, { kind: "card", mark: "card-number" }],
  [/conn/, { kind: "password", mark: "connection-string" }],
  [/./, { kind: "secret", mark: "secret" }],
];

const JOINTS = [" ", "_", "-", ""];
const joined = (...words: readonly string[]) => JOINTS.map((joint) => words.join(joint));

/** What names of secrets end in. Not every name that ends so is one. */
export const NAME_ENDINGS: readonly string[] = [
  ...["password", "passwd", "pwd", "pass", "pw", "passcode", "psk", "secret", "token", "jwt", "key", "auth"],
  ...["authorization", "credential", "credentials", "cookie", "card", "ssn", ...joined("pass", "phrase")],
  ...[...joined("connection", "string"), ...joined("conn", "str"), ...joined("social", "security")],
  ...[...joined("card", "number"), ...joined("card", "no"), ...joined("card", "num")],
  ...joined("social", "security", "number"),
];

const LONGEST_NAME = 64;
const MOST_BLANKS = 8;
const MOST_BACKSLASHES = 16;
const [BLANK, TAB, COLON, EQUALS, BRACKET, BACKSLASH] = [32, 9, 58, 61, 93, 92];

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

/** The name that ends at a position, with the words before it. */
export function nameUpTo(text: string, end: number): string {
  return text.slice(startOfName(text, end), end);
}

function startOfName(text: string, end: number): number {
  let start = end;
  while (end - start < LONGEST_NAME && isOfName(text.charCodeAt(start - 1))) start -= 1;
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
