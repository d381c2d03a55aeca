/** Keys whose values are secrets or belong to a person, whatever they look like. */
const SECRET_KEY = /auth|token|pass|secret|key|cert|credential|otp|user|login|mail|session|cookie|sign/i;
/** Settings that have such a word in their name and say how to sign in, not with what. */
const HARMLESS_KEY = /^(?:always-auth|auth-type|user-agent|sign-git-(?:commit|tag))$/i;
/** What words, numbers, versions, paths, patterns and addresses consist of. */
const PLAIN = /^[\w./:@~^*<>=|,!()[\]{}$"' +-]*$/;
/** Letters and digits in a row that are no word: tokens consist of them. */
const TOKEN =
  /(?=[A-Za-z]{0,40}\d|[a-z]{1,40}[A-Z]|[A-Z]{2,40}[a-z]|[A-Z]{16})[A-Za-z0-9]{16}|[A-Za-z0-9+_]{40}|\d{7}/;
const REFERENCE = /^"?\$\{[A-Za-z_]\w*\??\}"?$/;
const SWITCH = /^(?:true|false|null)?$/i;
/** A name and password in an address. */
const SIGNED_IN = /\/\/[^/\s]*@/g;
const COMMENT = /^\s*[#;]/;

const MOST_BYTES = 65_536;

/**
 * The settings of a package manager (`.npmrc`) without what may be a secret: a value whose key and form are not known to
 * be harmless is left empty, and so is such a comment. Addresses lose the name and password in them; references to the
 * environment stay. `undefined` for what is no such text.
 */
export function blankedSettings(bytes: Buffer): string | undefined {
  if (bytes.length > MOST_BYTES) return undefined;
  const text = bytes.toString("utf8");
  if (text.includes("\uFFFD") || /[^\P{Cc}\t\r\n]/u.test(text)) return undefined;
  return text.split("\n").map(blankedLine).join("\n");
}

function blankedLine(line: string): string {
  const at = line.indexOf("=");
  if (line.trim() === "") return line;
  if (COMMENT.test(line) || at === -1) return isPlain(line.trim().replace(/^[#;]+/, "")) ? line : ";";
  const key = line.slice(0, at);
  const value = line.slice(at + 1).replaceAll(SIGNED_IN, "//");
  if (!PLAIN.test(key.trim()) || TOKEN.test(key)) return ";";
  return isHarmless(key.trim(), value.trim()) ? `${key}=${value}` : `${key}=`;
}

function isPlain(text: string): boolean {
  return PLAIN.test(text) && !TOKEN.test(text) && !SECRET_KEY.test(text);
}

function isHarmless(key: string, value: string): boolean {
  if (REFERENCE.test(value) || SWITCH.test(value)) return true;
  const isSecret = SECRET_KEY.test(key) && !HARMLESS_KEY.test(key);
  return !isSecret && PLAIN.test(value) && !TOKEN.test(value);
}
