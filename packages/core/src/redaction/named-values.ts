import { isCard, isPassword, isRandom } from "./likely-secret.ts";
import type { NamedKind, SecretName } from "./secret-name-kinds.ts";
import { secretName } from "./secret-names.ts";
import { BARE, BODIES, DECLARED, QUOTED, REST_OF_BARE, SCHEME } from "./value-patterns.ts";

/** A secret in a text, and what it is called. */
export interface FoundSecret {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** The value after the separator at `at`, if the name before it is that of a secret and the value is one. */
export function namedValue(text: string, at: number, name: string): FoundSecret | undefined {
  const known = secretName(name);
  const from = known === undefined ? -1 : onNextLine(text, afterSeparator(text, at));
  const written = known === undefined || from === -1 ? undefined : valueAt(text, from, known.kind);
  if (known === undefined || written === undefined) return undefined;
  const value = text.slice(written.start, written.end);
  const isData = written.quote !== "" || isTight(text, at) || endsLine(text, written.end);
  const isOne = isSecret(value, known, isData && !isDeclared(name));
  if (!isOne && !(isQuotedName(text, at) && isSecretNumber(value, known))) return undefined;
  if (written.quote === "" && isCode(text, at, written)) return undefined;
  return { start: written.start, end: endOf(text, written), name: known.mark };
}

const NEXT_LINE = /[ \t]{0,8}\r?\n[ \t]{1,16}(?=[^\s:#-]{8,256}(?:\r?\n|$))/y;

/** YAML may have a value in a line of its own, further in than its name. */
function onNextLine(text: string, from: number): number {
  return from > 0 && text.charAt(from - 1) === ":" ? afterMatch(NEXT_LINE, text, from) : from;
}

/** Most names are one word. */
function isDeclared(name: string): boolean {
  return name.includes(" ") && DECLARED.test(name);
}

/** `NAME=value`, as environments and addresses have it. */
function isTight(text: string, at: number): boolean {
  return text.charAt(at) === "=" && !/[ \t:]/.test(text.charAt(at - 1)) && !/[ \t]/.test(text.charAt(at + 1));
}

/** `"name": `, as JSON has it, where a number needs no quotes. */
function isQuotedName(text: string, at: number): boolean {
  return text.charAt(at) === ":" && text.charAt(at - 1) === '"';
}

/** After `=`, `:`, `:=` or `=>`; -1 where it is a comparison, an address or a path of names. */
function afterSeparator(text: string, at: number): number {
  const next = text.charAt(at + 1);
  if (next === "=" || (next === ":" && text.charAt(at) === ":") || text.startsWith("//", at + 1)) return -1;
  if ("=!:<>".includes(text.charAt(at - 1)) && text.charAt(at) === ":") return -1;
  return next === ">" ? at + 2 : at + 1;
}

interface WrittenValue {
  readonly start: number;
  readonly end: number;
  readonly quote: string;
}

function valueAt(text: string, from: number, kind: NamedKind): WrittenValue | undefined {
  const opened = opening(text, from);
  const quote = opened > from && QUOTES.includes(text.charAt(opened - 1)) ? text.charAt(opened - 1) : "";
  const ends = quote === "" ? ENDS_BARE : ENDS_QUOTED;
  if (isShortWord(text, opened, { length: SHORTEST_WORD[kind], ends })) return undefined;
  const start = kind === "secret" ? afterText(ENCODED, text, opened) : afterScheme(text, opened, kind);
  const body = BODIES[kind] ?? (quote === "" ? BARE : QUOTED);
  const end = afterMatch(body, text, start);
  return end === start ? undefined : { start, end, quote };
}

/** From how many small letters on a value may be a secret; of other kinds, a word before it says what it is. */
const SHORTEST_WORD: Partial<Record<NamedKind, number>> = { password: 8, secret: 12 };

/** Whether a value is a word of fewer letters, which is no secret: most are, and this is known without an expression. */
function isShortWord(
  text: string,
  start: number,
  { length = 0, ends }: { readonly length: number | undefined; readonly ends: string },
): boolean {
  let at = start;
  while (at - start < length && isSmallLetter(text.charCodeAt(at))) at += 1;
  return at > start && at - start < length && ends.includes(text.charAt(at));
}

function isSmallLetter(code: number): boolean {
  return code >= 97 && code <= 122;
}

/** Characters that end a value: neither `QUOTED` nor, without quotes, `BARE` matches them. */
const ENDS_QUOTED = " \t\r\n\"'`\\";
const ENDS_BARE = `${ENDS_QUOTED}),;]}`;

const QUOTES = "\"'`";
const MOST_BLANKS = 8;
const MOST_BACKSLASHES = 16;

/** After blanks and a quote, which may have backslashes before it. */
function opening(text: string, from: number): number {
  let at = from;
  while (at - from < MOST_BLANKS && (text.charAt(at) === " " || text.charAt(at) === "\t")) at += 1;
  let quote = at;
  while (quote - at < MOST_BACKSLASHES && text.charAt(quote) === "\\") quote += 1;
  return quote < text.length && QUOTES.includes(text.charAt(quote)) ? quote + 1 : at;
}

/** What may stand before the secret itself. */
const ENCODED = "base64:";
const BEFORE_VALUE: Partial<Record<NamedKind, RegExp>> = { authorization: SCHEME, cookie: /[\w.-]{1,64}=/y };

function afterScheme(text: string, at: number, kind: NamedKind): number {
  const before = BEFORE_VALUE[kind];
  return before === undefined ? at : afterMatch(before, text, at);
}

function afterText(part: string, text: string, at: number): number {
  return text.startsWith(part, at) ? at + part.length : at;
}

function afterMatch(part: RegExp, text: string, at: number): number {
  part.lastIndex = at;
  return part.test(text) ? part.lastIndex : at;
}

function endsLine(text: string, at: number): boolean {
  return at >= text.length || /[\s"'`\\]/.test(text.charAt(at));
}

const SOCIAL_SECURITY = /^(?!000|666|9)\d{3}-?(?!00)\d{2}-?(?!0000)\d{4}$/;

/** Whether a value under a name is a secret. What is written as data may be shorter than what may be code. */
export function isSecret(value: string, known: SecretName, isData: boolean): boolean {
  const { kind } = known;
  if (kind === "card") return isCard(value);
  if (kind === "ssn") return SOCIAL_SECURITY.test(value);
  if (kind === "cookie") return value.split(/[;=] ?/).some((part) => part.length >= 8 && isRandom(part));
  if (kind === "codes") return /\d/.test(value) && /^\w{4,8}-\w{4,8}/.test(value);
  if (isData && isSecretNumber(value, known)) return true;
  if (kind === "pin" || kind === "card-code") return false;
  if (kind === "password" && isData) return isPassword(value);
  return value.length >= (isData ? 8 : 12) && isRandom(value);
}

const LONGEST_PIN = 12;
const LONGEST_CARD_CODE = 4;

/** Whether digits under a name are a secret: as many as a secret of this name has, and no count. */
export function isSecretNumber(digits: string, { kind, digits: least }: SecretName): boolean {
  if (least === undefined || digits.length < least || !isDigit(digits) || !/^\d+$/.test(digits)) return false;
  if (kind === "pin") return digits.length <= LONGEST_PIN;
  if (kind === "card-code") return digits.length <= LONGEST_CARD_CODE;
  if (kind === "card") return isCard(digits);
  return kind !== "ssn" || SOCIAL_SECURITY.test(digits);
}

/** Whether a text begins with a digit, which tells most others apart at once. */
function isDigit(text: string): boolean {
  const code = text.charCodeAt(0);
  return code >= 48 && code <= 57;
}

/** A call, an index and a name of code are no values. */
function isCode(text: string, at: number, { start, end }: WrittenValue): boolean {
  const next = text.charAt(end);
  if (next === "(" || next === "[" || next === "{") return true;
  if (!isTight(text, at) && CONSTANT.test(text.slice(start, end))) return true;
  if (endsLine(text, end) || !/^[A-Za-z_$][\w$]*$/.test(text.slice(start, end))) return false;
  return end - start < SHORTEST_IN_CODE && (!isTight(text, at) || next === ")" || next === ",");
}

/** A constant that holds a secret: `S3_SECRET`. */
const CONSTANT = /^[A-Z][A-Z\d_]{0,40}_(?:KEY|SECRET|TOKEN|PASSWORD|PASS|PWD)$/;

/** No name of code with digits is so long. */
const SHORTEST_IN_CODE = 20;

/** A secret may have signs that no value begins with: it continues to its closing quote, a command or the end of a word. */
function endOf(text: string, { end, quote }: WrittenValue): number {
  if (quote === "") return afterMatch(REST_OF_BARE, text, end);
  const line = text.slice(end, end + 256);
  const closing = line.search(
    new RegExp(String.raw`\\{0,16}(?:${quote}|"(?:\s|\\+[nrt])*[,:\]}])|\n|\x60|\$[({]`),
  );
  return closing === -1 ? end : end + closing;
}
