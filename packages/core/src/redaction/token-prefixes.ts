import { TOKEN_FORMATS, type TokenFormat } from "./token-formats.ts";

/** Tokens of one issuer: each begins with one of the prefixes, and continues as the pattern says. */
export interface TokenPrefix {
  readonly name: string;
  readonly prefixes: readonly string[];
  /** What follows the prefix: a regular expression that takes time in proportion to what it reads. */
  readonly rest: string;
  /** No letter or digit stands before it: the prefix alone is not rare enough. */
  readonly startsWord: boolean;
  /** How many letters, digits and underscores before it belong to it. */
  readonly lead: number;
}

/** Known shapes within base64, where the whole secret was encoded. */
const ENCODED = [
  ...["ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "sk-ant-", "sk-proj-", "sk_live_"],
  ...["npm_", "hvs.", "dckr_pat_", "AKIA", "AIza"],
];
const ENCODED_KEYS = ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "].map(
  (kind) => `-----BEGIN ${kind}PRIVATE KEY`,
);

/** What base64 of every text with this prefix begins with. */
function encodedPrefix(prefix: string): string {
  return btoa(prefix).slice(0, Math.floor((prefix.length * 8) / 6));
}

const ENCODED_ROWS: readonly TokenFormat[] = [
  ["encoded-secret", ENCODED.map(encodedPrefix).join(" "), "[A-Za-z0-9+/_-]{18,400}={0,2}", "startsWord"],
  ["private-key", ENCODED_KEYS.map(encodedPrefix).join(" "), "[A-Za-z0-9+/=_-]{40,12000}"],
];

export const TOKEN_PREFIXES: readonly TokenPrefix[] = [...TOKEN_FORMATS, ...ENCODED_ROWS].map(
  ([name, prefixes, rest, start]) => ({
    name,
    prefixes: prefixes.split(" "),
    rest,
    startsWord: start === "startsWord",
    lead: typeof start === "number" ? start : 0,
  }),
);
