const MARK = "[credential]";
/** A server can escape what it repeats, and a proxy can escape it again. */
const READINGS = 3;
const ESCAPES =
  /%([0-9a-f]{2})|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|&#x([0-9a-f]{1,6});|&#([0-9]{1,7});|\\(["'\\/])|&(amp|lt|gt|quot|apos);/gi;
const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Removes credentials from an answer: servers repeat them, with escapes of addresses, forms, JSON and HTML. */
export function withoutSecrets(secrets: readonly string[]): (text: string) => string {
  const wanted = secrets.filter((secret) => secret !== "").flatMap(spellings);
  if (wanted.length === 0) return (text) => text;
  const shortest = Math.min(...wanted.map(({ length }) => length));
  // No spelling is shorter than the value itself.
  return (text) => (text.length < shortest ? text : cleaned(text, wanted));
}

/** Each costs time and memory in every reading. */
const MOST_ESCAPES = 400_000;
const CUT = "\n[The rest has too many escapes to be checked for credentials.]";

function cut(text: string): string {
  let escapes = 0;
  for (const { index } of text.matchAll(ESCAPES)) {
    escapes += 1;
    if (escapes > MOST_ESCAPES) return `${text.slice(0, index)}${CUT}`;
  }
  return text;
}

function cleaned(whole: string, wanted: readonly string[]): string {
  const text = cut(whole);
  const found: Range[] = [];
  let reading: Reading | undefined = asItIs(text);
  for (let round = 0; round <= READINGS && reading !== undefined; round += 1) {
    for (const secret of wanted) collect(secret, reading, found);
    reading = decoded(reading);
  }
  return found.length === 0 ? text : replaced(text, found);
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** A decoded text, and where each of its characters begins in the original. */
interface Reading {
  readonly text: string;
  sourceOf(at: number): number;
}

/** Shorter ones would match everywhere. */
const SHORTEST_READING = 6;

/** In a form a space is a plus sign. What looks like an escape in the secret itself is decoded along with the text. */
function spellings(secret: string): string[] {
  const forms = secret.includes(" ") ? [secret, secret.replaceAll(" ", "+")] : [secret];
  const readings: string[] = [];
  for (const form of forms) {
    let reading = decoded(asItIs(form));
    for (; reading !== undefined; reading = decoded(reading)) readings.push(reading.text);
  }
  return [...new Set([...forms, ...readings.filter(({ length }) => length >= SHORTEST_READING)])];
}

function asItIs(text: string): Reading {
  return { text, sourceOf: (at) => at };
}

function collect(secret: string, { text, sourceOf }: Reading, found: Range[]): void {
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length)) {
    found.push({ from: sourceOf(at), to: sourceOf(at + secret.length) });
  }
}

/** One layer of escapes less; `undefined` if there is none. */
function decoded({ text, sourceOf }: Reading): Reading | undefined {
  const pieces: string[] = [];
  /** Where each escape ends in the new text, and how much longer the old text is up to there. */
  const ends: number[] = [];
  const shifts: number[] = [];
  let read = 0;
  let length = 0;
  for (const match of text.matchAll(ESCAPES)) {
    const char = meaningOf(match);
    pieces.push(text.slice(read, match.index), char);
    length += match.index - read + char.length;
    read = match.index + match[0].length;
    ends.push(length);
    shifts.push(read - length);
  }
  if (pieces.length === 0) return undefined;
  pieces.push(text.slice(read));
  return { text: pieces.join(""), sourceOf: (at) => sourceOf(at + (shifts[countUpTo(ends, at) - 1] ?? 0)) };
}

function meaningOf([, byte, unit, short, hex, decimal, sign, name]: RegExpExecArray): string {
  const code = byte ?? unit ?? short ?? hex;
  if (code !== undefined) return pointOf(Number.parseInt(code, 16));
  if (decimal !== undefined) return pointOf(Number(decimal));
  return sign ?? NAMED[(name ?? "").toLowerCase()] ?? "";
}

function pointOf(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
}

/** How many of the sorted numbers are at most this one. */
function countUpTo(sorted: readonly number[], most: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}

function replaced(text: string, found: readonly Range[]): string {
  const merged: Range[] = [];
  for (const range of found.toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1);
    // Overlapping matches of two readings are one credential.
    if (last === undefined || range.from >= last.to) merged.push(range);
    else if (range.to > last.to) merged[merged.length - 1] = { from: last.from, to: range.to };
  }
  const pieces = merged.flatMap(({ from }, index) => [text.slice(merged[index - 1]?.to ?? 0, from), MARK]);
  return pieces.join("") + text.slice(merged.at(-1)?.to);
}
