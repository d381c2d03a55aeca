import { hasNoWords } from "./likely-secret.ts";

/**
 * What tools and languages put between the lines of a key: blanks, quotes and commas of a list of lines, `$` of
 * `cat -A`, colours of a terminal, line numbers, and line ends as JSON, addresses and HTML write them. None of it alone
 * belongs to a key: it does where the line of a key follows.
 */
const COLOUR = String.raw`(?:\u001B|\\{1,32}(?:u001[Bb]|x1[Bb]|033|e))\[[0-9;:]{0,20}[A-Za-z]`;
const WRITTEN = String.raw`\\{1,32}(?:[nrt]|u00(?:0[AaDd9]|2[027])|x0[AaDd])?|%0[AaDd9]|%2[02]|<br ?\/?>|&#(?:10|13|[xX]0?[AaDd]);`;
const NUMBER = String.raw`\d{1,7}(?![A-Za-z0-9+\/=%])`;
const SIGN = "[\"'`,;:$|+>#*()\\[\\]\u2502\u2192]|-(?!----)";
const NOISE = new RegExp(`(?:${COLOUR}|${WRITTEN}|${NUMBER}|${SIGN}|[\\p{Z}\\p{Cc}\\p{Cf}]){1,120}`, "uy");

/** At the end of a line, before the line end itself. */
const TRAILING = `(?:${COLOUR}|[ \\t"'\`,;$|+]){0,32}`;

/** Where such signs end that begin at `at`; `at` where there are none. */
function afterNoise(text: string, at: number): number {
  NOISE.lastIndex = at;
  return NOISE.test(text) ? NOISE.lastIndex : at;
}

/**
 * A private key as text, from its first line to its last: plain or encrypted PEM, OpenSSH, PGP, SSH2 and PuTTY; indented
 * as in YAML, quoted, numbered or coloured by a tool that shows files, as strings of a program, in an address, or on one
 * line with `\n` written out. Only what can be the body of a key belongs to it: a marker must not hide what stands
 * behind it from the approver of a command.
 */
/** As it is, or as an address writes it. */
const SPACE = String.raw`(?: |%20|\+)`;
const KIND = `(?:(?:[A-Z0-9]|${SPACE}){0,40}PRIVATE${SPACE}KEY(?:${SPACE}BLOCK)?|OpenVPN${SPACE}Static${SPACE}key${SPACE}V\\d)`;
export const KEY_START = `(?:-----BEGIN${SPACE}${KIND}-----|---- BEGIN ${KIND} ----|Private-Lines:${SPACE}\\d{1,4})`;

const LINE_END = String.raw`(?:\r?\n|\r|(?:\\{1,4}r)?\\{1,4}n|\\{1,4}r)`;
const BLANK = String.raw`(?:[ \t]|\\{1,4}t)`;
/** What tools put before a line: spaces, a number, a mark of quotation or of a difference. */
const BEFORE = String.raw`${BLANK}{0,64}(?:\d{1,7}(?:[:|\u2192]${BLANK}?|${BLANK}{1,8}|-(?!-))|(?!----)[>|#*:-]{1,3}${BLANK}{0,8})?`;
const BODY = String.raw`(?:[A-Za-z0-9+\/=]|%(?:2[BFbf]|3[Dd]))`;
/** No marker is part of it: a key that reached over the start of another one would be read once for each of them. */
const HEADER = String.raw`(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID|Subject|X-(?:(?!Private-)[A-Za-z-]){1,30}): ?(?:(?!----|Private-)[\w ,.:()@+\/="-]){0,200}`;
/** Whatever line ends became, the lines are as long as ever; the last one stands before the end. */
const SHORTEST_LINE = 40;

const LAST = `(?:-----END${SPACE}${KIND}-----|---- END ${KIND} ----|Private-MAC:${SPACE}[0-9a-f]{0,128})`;

const PART = new RegExp(
  `${LINE_END}${BEFORE}(?:${HEADER}|(?!Private-)${BODY}+)|${LINE_END}${BLANK}{0,64}(?=${LINE_END})|${BODY}+`,
  "uy",
);
const LINE = new RegExp(`${HEADER}|(?!Private-)${BODY}+|(?=${LINE_END}|${LAST})`, "uy");
const NEW_LINE = new RegExp(TRAILING + LINE_END, "uy");
const ANY_LINE_END = new RegExp(LINE_END, "u");
const HEADERS = new RegExp(HEADER, "uy");
const ANY_HEADER = new RegExp(HEADER, "u");
const LINE_BODY = new RegExp(`${BODY}+$`, "u");
const BODIES = new RegExp(`${BODY}+`, "uy");
const LAST_LINE = new RegExp(`-?${LAST}`, "uy");
const END = new RegExp(`(?:${LINE_END}){0,2}${BEFORE}${LAST}`, "uy");
const STARTS = new RegExp(`^${KEY_START}`);
const LONGEST_BEFORE = 200;

/**
 * Where a key ends that starts at `start`, with a marker that ends at `from`: after its last line. Without a line of
 * a key, the marker is all of it, so that words between two markers are seen.
 */
export function endOfKey(text: string, start: number, from: number): number {
  const before = beforeKey(text, start);
  let [at, end, seen] = [from, from, 0];
  for (let next = nextPart(text, at, before); next !== -1; next = nextPart(text, at, before)) {
    const part = text.slice(at, next);
    const line = ANY_HEADER.test(part) ? "" : lineIn(text, at, next);
    if (line !== "" && !isOfKey(line, seen) && !(seen > 0 && isLastLine(text, line, next))) break;
    if (line !== "") end = next;
    seen += line.length;
    at = next;
  }
  if (seen === 0) return from;
  const last = partFrom(END, text, at);
  return Math.max(end, last === -1 ? partFrom(LAST_LINE, text, afterNoise(text, at)) : last);
}

/** The line itself, without a line end before it that is written out. */
function lineIn(text: string, at: number, end: number): string {
  const from = text.charAt(at) === "\\" ? Math.min(afterNoise(text, at), end) : at;
  return LINE_BODY.exec(text.slice(from, end))?.[0] ?? "";
}

/** Whether letters and digits are a line of a key: a word is none, however many markers stand around it. */
function isOfKey(line: string, seen: number): boolean {
  if (line.length >= SHORTEST_LINE) return true;
  if (seen === 0) return hasNoWords(line);
  const runs = line.match(/[A-Z]?[a-z]+|[A-Z]+|\d+|[^A-Za-z\d]+/g) ?? [];
  return !runs.every((run) => /\d|[A-Za-z]{2}/.test(run));
}

/** Base64 is written in groups of four. */
function isLastLine(text: string, line: string, end: number): boolean {
  return line.length % 4 === 0 && partFrom(LAST_LINE, text, afterNoise(text, end)) !== -1;
}

function nextPart(text: string, at: number, before: string): number {
  const own = ownLine(text, at, before) ?? partFrom(PART, text, at);
  return own === -1 ? noisyLine(text, at) : own;
}

/** The end of the next line, if nothing but signs stands before it, and it is as long as lines of keys are. */
function noisyLine(text: string, at: number): number {
  const start = afterNoise(text, at);
  if (start === at) return -1;
  const end = partFrom(BODIES, text, start);
  if (end - start >= SHORTEST_LINE) return end;
  if (end !== -1 && partFrom(LAST_LINE, text, afterNoise(text, end)) !== -1) return end;
  return ANY_LINE_END.test(text.slice(at, start)) ? partFrom(HEADERS, text, start) : -1;
}

/** What stands before the key in its first line. A tool that put it there put the like before the others. */
export function beforeKey(text: string, start: number): string {
  const near = text.slice(Math.max(0, start - LONGEST_BEFORE), start);
  const written = near.lastIndexOf("\\n");
  const lineEnd = Math.max(near.lastIndexOf("\n"), near.lastIndexOf("\r"), written === -1 ? -1 : written + 1);
  return near.slice(lineEnd + 1);
}

export function isStartOfKey(text: string): boolean {
  return STARTS.test(text);
}

/** Whether its last line is there. */
export function isWholeKey(key: string): boolean {
  return /(?:-----END[A-Za-z0-9 %+]{0,80}-----|---- END [A-Z0-9 ]{0,60} ----|Private-MAC:(?: |%20|\+)[0-9a-f]{40,128})$/.test(
    key.slice(-200),
  );
}

/** The end of the next line, if the same stands before it: other numbers are treated as the same, and so is `-` for `:`. */
function ownLine(text: string, at: number, before: string): number | undefined {
  if (before === "") return undefined;
  const line = partFrom(NEW_LINE, text, at);
  if (line === -1) return undefined;
  let [next, known] = [line, 0];
  while (known < before.length) {
    const [one, other] = [kindOf(before.charAt(known)), kindOf(text.charAt(next))];
    if (one !== other) return undefined;
    do known += 1;
    while (isRun(one) && kindOf(before.charAt(known)) === one);
    do next += 1;
    while (isRun(one) && kindOf(text.charAt(next)) === one);
  }
  const end = partFrom(LINE, text, next);
  return end === -1 ? undefined : end;
}

function kindOf(char: string): string {
  if (char >= "0" && char <= "9") return "digits";
  if (char === " " || char === "\t") return "blanks";
  return char === "-" ? ":" : char;
}

function isRun(kind: string): boolean {
  return kind === "digits" || kind === "blanks";
}

function partFrom(part: RegExp, text: string, at: number): number {
  part.lastIndex = at;
  return part.test(text) ? part.lastIndex : -1;
}
