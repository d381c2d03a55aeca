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
const KEY_PURPOSES = [
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
export const OTHER_LANGUAGES = [
  ...["passwort", "kennwort", "motdepasse", "contrasena", "senha", "wachtwoord", "lozinka"],
  ...["losenord", "adgangskode", "salasana", "parola", "heslo", "jelszo", "haslo"],
];

const NAME_WORDS =
  `${OTHER_LANGUAGES.join("|")}|mot[ _-]de[ _-]passe|(?:recovery|backup)[ _-]?codes?|client[ _-]?key[ _-]?data|`.concat(
    "passw(?:or)?d|pass[ _-]?phrase|passcode|pwd|pass|pw|psk|secret|token|jwt|auth(?:orization)?|credentials?|cookie|connection[ _-]?string|conn[ _-]?str|ssn|social[ _-]?security(?:[ _-]?(?:number|no))?|(?:credit[ _-]?)?card(?:[ _-]?(?:number|no|num))?|pan|pin|t?otp|cv[vc]2?|(?:pin|t?otp|mfa|verification|security)[ _-]?code",
  );

/** Names of values that lead from page to page, count or describe, and of which nothing is secret. */
export const NO_SECRET =
  /(?:^|[^a-z])(?:next|page|prev|previous|continuation|sync|resume|start|progress|cancel(?:lation)?|cursor|syntax|eos|bos|pad|unk|mask|stop|first|last|end|snapshot|change|batch|delta|watermark|design|color|max|min|num|per|total|public|primary|foreign|idempotency|cache)[ _-]?(?:token|key)s?$|(?:^|[ _-])(?:by|com|sur|tres|over|under)[ _-]?pass$/;

/** Words that are no part of another one. */
export const WHOLE_NAME = new RegExp(
  `(?:^|[^a-z])(?:${NAME_WORDS}|(?:${KEY_PURPOSES.join("|")})[ _.-]?key)$`,
);

/** Ends of names that are rare enough within one word: `PGPASSWORD`, `mytoken`. */
export const NAME_ENDING = /(?:passw(?:or)?d|passphrase|secret|token|credentials|api_?key|access_?key)$/;

/** As variables of an environment are written. */
export const CAPITAL_KEY = /[A-Z0-9]_KEY$/;

/** Keys that are numbers elsewhere than in a table: `account_key` is often one of its rows. */
const NUMBERED_KEY =
  /(?:api|access|secret|private|signing|encryption|shared|master|auth|admin|license|recovery|unseal|token)[ _.-]?key$/;

export const NAME_KINDS: readonly (readonly [ending: RegExp, name: SecretName])[] = [
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
