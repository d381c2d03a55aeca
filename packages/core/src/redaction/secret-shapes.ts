import { endOfKey, KEY_START } from "./private-key.ts";

/** A secret that can be recognised by its looks. */
interface SecretShape {
  readonly name: string;
  /** Must begin with a literal, so that scanning text without secrets stays cheap. */
  readonly pattern: string;
  /** Where in what was found the secret stands; all of it where it is left out. */
  inner?(found: string): readonly [start: number, end: number];
  /** Where the secret ends, if it continues after the match; the start of the match, if it is no secret. */
  endIn?(text: string, start: number, end: number): number;
}

/** A JSON Web Key is one object, and names its kind anywhere in it. */
const LONGEST_WEB_KEY = 8_192;
const isInWebKey = (text: string, start: number, end: number) =>
  text.slice(Math.max(0, start - LONGEST_WEB_KEY), end + LONGEST_WEB_KEY).includes("kty");

/** Of `name=value`. */
const valueIn = (found: string): readonly [number, number] => [found.indexOf("=") + 1, found.length];

/**
 * Shapes that are secrets wherever they stand. Each starts with its issuer's fixed prefix; guesses
 * by entropy are left out, because a redacted git hash or checksum would break honest results.
 */
export const SECRET_SHAPES: readonly SecretShape[] = [
  { name: "private-key", pattern: KEY_START, endIn: endOfKey },
  {
    name: "private-key",
    pattern: String.raw`"(?:d|p|q|dp|dq|qi|k)\\{0,16}"\s{0,8}:\s{0,8}\\{0,16}"[A-Za-z0-9_-]{40,4096}`,
    inner: (found) => [found.lastIndexOf('"') + 1, found.length],
    endIn: (text, start, end) => (isInWebKey(text, start, end) ? end : start),
  },
  { name: "aws-key", pattern: String.raw`(?:AKIA|ASIA)[0-9A-Z]{16}\b` },
  { name: "github-token", pattern: "gh[pousr]_[A-Za-z0-9]{36,255}" },
  { name: "github-token", pattern: "github_pat_[A-Za-z0-9_]{22,255}" },
  { name: "gitlab-token", pattern: "glpat-[A-Za-z0-9_-]{20,255}" },
  { name: "slack-token", pattern: "xox[abeprs]-[A-Za-z0-9-]{10,255}" },
  { name: "anthropic-key", pattern: "sk-ant-(?<![A-Za-z0-9]sk-ant-)[A-Za-z0-9_-]{20,255}" },
  { name: "openai-key", pattern: "sk-(?<![A-Za-z0-9]sk-)(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,255}" },
  { name: "google-key", pattern: "AIza[0-9A-Za-z_-]{35}" },
  { name: "npm-token", pattern: "npm_[A-Za-z0-9]{36}" },
  { name: "stripe-key", pattern: "[rs]k_live_[0-9A-Za-z]{16,255}" },
  {
    name: "url-password",
    pattern: String.raw`:\/\/[^\s\/:@"'\\]{1,100}:[^\s\/@"'\\]{3,200}@`,
    // Who is where is no secret.
    inner: (found) => [found.indexOf(":", 3) + 1, found.length - 1],
  },
  {
    name: "signed-address",
    pattern: String.raw`[Xx]-[Aa]mz-(?:[Ss]ignature|[Cc]redential|[Ss]ecurity-[Tt]oken)=[^\s&"'<>\\#]{8,4096}`,
    inner: valueIn,
  },
  {
    name: "signed-address",
    pattern: String.raw`[Xx]-[Gg]oog-(?:[Ss]ignature|[Cc]redential)=[^\s&"'<>\\#]{8,4096}`,
    inner: valueIn,
  },
  {
    name: "signed-address",
    pattern: String.raw`(?:sig=(?<=[?&;]sig=)|Signature=(?<=[?&;, ]Signature=))[A-Za-z0-9%+\/=_~-]{32,4096}`,
    inner: valueIn,
  },
  {
    name: "jwt",
    pattern: String.raw`(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{8,2000}`,
  },
];
