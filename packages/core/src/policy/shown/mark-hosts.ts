import { onDemand } from "../../contract/values/on-demand.ts";
import {
  AMBIGUOUS_ENDINGS,
  COMMON_DOMAINS,
  LIKE_LATIN_CLASS,
  LIKE_SIGNS_CLASS,
  PHONETIC_CLASS,
} from "./lookalike-letters.ts";

/**
 * Letters that a person takes for plain ones. What can be said by a Unicode property (script, compatibility mapping,
 * blocks of phonetic letters) is said by it; the two lists of single characters are a selection from confusables.txt
 * (Unicode Technical Standard 39) of those whose prototype is a letter, digit or sign of a host name.
 */

/** Ends of file names that are not domains. */
const FILE_ENDINGS: ReadonlySet<string> = new Set(
  (
    "txt pdf doc docx xls xlsx ppt pptx odt ods csv tsv json jsonc json5 yaml yml toml xml html htm css scss sass less " +
    "js mjs cjs ts mts cts tsx jsx vue svelte go rb kt kts hs ex exs php lua swift scala java class jar war cpp hpp cxx " +
    "hxx cs fs vb sql db sqlite png jpg jpeg gif svg webp ico bmp tiff mp3 wav flac ogg mkv avi webm gz xz tar tgz bz2 " +
    "zst rar log ini cfg conf env lock bak tmp orig patch diff ipynb rst tex bib epub woff woff2 ttf otf exe dll iso img " +
    "dmg rpm msi bat cmd psd key pem crt map snap proto graphql tpl ejs hbs mdx adoc"
  ).split(" "),
);

/** RFC 3492, the parameters for host names. */
const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const LONGEST_LABEL = 63;
const LAST_CODE = 0x10ffff;

/** What a label of a host (`xn--…`) says in letters; `undefined` where it says nothing. */
export function decodePunycode(label: string): string | undefined {
  const encoded = label.slice("xn--".length).toLowerCase();
  if (label.length > LONGEST_LABEL) return undefined;
  const border = encoded.lastIndexOf("-");
  const letters = [...encoded.slice(0, Math.max(0, border))].map((letter) => letter.codePointAt(0) ?? 0);
  let [code, at, bias] = [128, 0, 72];
  for (let next = border + 1; next < encoded.length; ) {
    const read = readNumber(encoded, next, bias);
    if (read === undefined) return undefined;
    const count = letters.length + 1;
    bias = adapted(read.value, { count, isFirst: at === 0 && code === 128 });
    code += Math.floor((at + read.value) / count);
    at = (at + read.value) % count;
    if (code > LAST_CODE || (code >= 0xd800 && code <= 0xdfff)) return undefined;
    letters.splice(at, 0, code);
    at += 1;
    next = read.next;
  }
  return String.fromCodePoint(...letters);
}

function readNumber(text: string, from: number, bias: number) {
  let value = 0;
  let weight = 1;
  for (let at = from, k = BASE; at < text.length; at += 1, k += BASE) {
    const digit = digitOf(text.charCodeAt(at));
    if (digit === undefined) return undefined;
    value += digit * weight;
    if (value > Number.MAX_SAFE_INTEGER / BASE) return undefined;
    const threshold = Math.min(T_MAX, Math.max(T_MIN, k - bias));
    if (digit < threshold) return { value, next: at + 1 };
    weight *= BASE - threshold;
  }
  return undefined;
}

function digitOf(code: number): number | undefined {
  if (code >= 0x61 && code <= 0x7a) return code - 0x61;
  return code >= 0x30 && code <= 0x39 ? code - 0x30 + 26 : undefined;
}

function adapted(
  value: number,
  { count, isFirst }: { readonly count: number; readonly isFirst: boolean },
): number {
  let delta = Math.floor(value / (isFirst ? DAMP : 2));
  delta += Math.floor(delta / count);
  let k = 0;
  for (; delta > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) delta = Math.floor(delta / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * delta) / (delta + SKEW));
}

const LONGEST_HOST = 253;
const MOST_NAMED = 5;

/** What a host may be written with, hidden characters and signs that look like its own included. */
const RUN_CLASS = String.raw`\p{L}\p{M}\p{N}\p{Cf}\p{Variation_Selector}_.\-${LIKE_SIGNS_CLASS}`;
const RUN = onDemand(() => new RegExp(`[${RUN_CLASS}]+`, "gu"));
/** The host of an address, or any run of such characters. Both start with what decides, and go on while it lasts. */
const PLACE = onDemand(() => new RegExp(String.raw`:\/\/([^\s\/?#'"<>]+)|[${RUN_CLASS}]+`, "gu"));
const NOT_PLAIN = /[^\p{ASCII}]|xn--/iu;
const NOT_ASCII = /[^\p{ASCII}]/u;
const DOT = /[.\u2024\u3002\uFF0E\uFF61]/u;

/** Replaces hosts in lookalike letters by their network names, or adds these. */
export function markHosts(text: string): string {
  if (!NOT_PLAIN.test(text)) return text;
  return text.replaceAll(PLACE(), (found: string, authority: string | undefined, at: number) => {
    if (!NOT_PLAIN.test(found)) return found;
    if (authority !== undefined) return `://${markAuthority(authority)}`;
    if (text[at + found.length] === "@" && SIGN_IN_USER().test(found))
      return `${found}<${namedLetters(found)}>`;
    return markRun(found, isAfterUser(text, at));
  });
}

/** What stands before `@` is no host, and reads like one where a sign in it looks like a slash. */
const SIGN_IN_USER = onDemand(() => /(?<=[A-Za-z0-9])[^\p{ASCII}\p{L}\p{M}\p{N}]/u);

/** `user@host`, as `ssh` and `git` take it. */
function isAfterUser(text: string, at: number): boolean {
  return text[at - 1] === "@" && /[\w.+~-]/.test(text[at - 2] ?? "");
}

/** Letters of other scripts in the host of an address are replaced. Nothing else of it is touched. */
function markAuthority(authority: string): string {
  const [, user = "", host = "", port = ""] = /^(.*@)?(.*?)(:\d*)?$/su.exec(authority) ?? [];
  if (SIGN_IN_USER().test(user))
    return `${user.slice(0, -1)}<${namedLetters(user)}>@${markAuthority(host + port)}`;
  const network = NOT_ASCII.test(host) && !host.includes("\\") ? asNetwork(host) : undefined;
  if (network?.includes("xn--") === true) return user + network + port;
  return authority.replaceAll(RUN(), (run, at: number) => {
    const isHost = at === user.length && run.length === host.length;
    return markRun(run, isHost);
  });
}

/** The network name of the host, or else its unusual letters, added to it. */
function markRun(run: string, isHost: boolean): string {
  const name = withoutDots(run);
  const labels = name.split(DOT);
  if (!NOT_ASCII.test(name)) return markPunycode(run, labels);
  if (!isHost && !isLikeAHost(name, labels)) return run;
  return `${run}<${asNetwork(name) ?? namedLetters(name)}>`;
}

function withoutDots(run: string): string {
  let [start, end] = [0, run.length];
  while (start < end && DOT.test(run.charAt(start))) start += 1;
  while (end > start && DOT.test(run.charAt(end - 1))) end -= 1;
  return run.slice(start, end);
}

function markPunycode(run: string, labels: readonly string[]): string {
  if (run.length > LONGEST_HOST) return run;
  const read = labels.map((label) => (/^xn--/i.test(label) ? (decodePunycode(label) ?? label) : label));
  const letters = read.join(".");
  return letters === labels.join(".") ? run : `${run}<${letters}>`;
}

/** By its end, a name with dots could be a host; and something in it is not what it looks like. */
function isLikeAHost(name: string, labels: readonly string[]): boolean {
  const ending = plainForm(labels.at(-1) ?? "");
  if (labels.length === 4 && labels.every((label) => /^\d{1,3}$/.test(label.normalize("NFKC")))) return true;
  if (labels.length < 2 || !/^[a-z][a-z0-9-]+$/.test(ending) || FILE_ENDINGS.has(ending)) return false;
  if (labels.some(isConfusable)) return true;
  if (AMBIGUOUS_ENDINGS.has(ending) || !(ending.length === 2 || COMMON_DOMAINS.has(ending))) return false;
  return labels.some(hasAccent) || OTHER_DOT.test(name);
}

/** Between plain letters; elsewhere such a sign is one of its own script. */
const CONFUSABLE_SIGN = `(?<=[A-Za-z0-9])[${LIKE_SIGNS_CLASS}](?=[A-Za-z0-9])`;
const CONFUSABLE = onDemand(
  () =>
    new RegExp(
      String.raw`[${PHONETIC_CLASS}\p{Cf}\p{Variation_Selector}\u{34F}\u{334}-\u{338}\p{Me}]|${CONFUSABLE_SIGN}`,
      "u",
    ),
);
const OTHER_DOT = /(?<=[A-Za-z0-9])[\u2024\u3002\uFF0E\uFF61](?=[A-Za-z0-9])/;
const LATIN = onDemand(() => /\p{Script=Latin}/u);
/** Scripts that are written together with Latin letters, and are not taken for them (Unicode Technical Standard 39, 5.2). */
const NOT_WITH_LATIN = onDemand(
  () =>
    /[[\p{L}\p{N}]--[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]]/v,
);
const ALL_LIKE_LATIN = onDemand(() => new RegExp(`^[${LIKE_LATIN_CLASS}0-9_-]+$`, "u"));

function isConfusable(label: string): boolean {
  if (!NOT_ASCII.test(label)) return false;
  return (
    CONFUSABLE().test(label) ||
    (LATIN().test(label) && NOT_WITH_LATIN().test(label)) ||
    ALL_LIKE_LATIN().test(label) ||
    plainLetters(label.normalize("NFKC")) > plainLetters(label.normalize("NFC"))
  );
}

function hasAccent(label: string): boolean {
  return /[\p{Script=Latin}--\p{ASCII}]|\p{Script=Latin}\p{M}/v.test(label);
}

function plainLetters(text: string): number {
  return text.replaceAll(/[^A-Za-z0-9]/g, "").length;
}

const LIKE_LATIN_LETTER = onDemand(() => new RegExp(`[${LIKE_LATIN_CLASS}${PHONETIC_CLASS}]`, "gu"));

/** The last part of a name as a person reads it. Which letter each is taken for does not matter here. */
function plainForm(label: string): string {
  if (label.length > LONGEST_HOST) return "";
  return label
    .normalize("NFKC")
    .replaceAll(/[\p{M}\p{Cf}]/gu, "")
    .replaceAll(LIKE_LATIN_LETTER(), "x")
    .toLowerCase();
}

/** `undefined` for what the network would not take. */
function asNetwork(host: string): string | undefined {
  if (host.length > LONGEST_HOST) return undefined;
  return URL.parse(`http://${host}`)?.hostname;
}

function namedLetters(name: string): string {
  const letters = new Set<string>();
  for (const letter of name) {
    if (NOT_ASCII.test(letter))
      letters.add(`U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`);
    if (letters.size === MOST_NAMED) break;
  }
  return `not plain: ${[...letters].join(", ")}`;
}
