import type { SecretSpan } from "../contract/store/store.ts";
import { mark, replaceSpans } from "./spans.ts";

export const PRIVATE_KEY = mark("private-key");

const BORDER = /\\*"/g;
const WRITTEN = /\\+(?:[nrt]|u[0-9A-Fa-f]{4})/g;

/** A JSON text with marks in the place of its secrets, which has the same strings, items and entries. */
export function replaceInJson(text: string, spans: readonly SecretSpan[]): string {
  const whole = spans.map((span) => asString(text, withoutHalfEscapes(text, span)));
  return replaceSpans(text, withNumberedNames(text, withinStrings(text, whole)));
}

const NUMBER = /^-?\d[\d.eE+-]*(?=(?:\s|\\+[nrt])*[,}])/;
const AFTER_NAME = /(\\*")\s{0,8}:(?:\s|\\+[nrt]){0,8}$/;

/** A number becomes a string, in the quotes that its name has. */
function asString(text: string, span: SecretSpan): SecretSpan {
  const { 0: number } = NUMBER.exec(text.slice(span.start, span.end + 100)) ?? [];
  if (number === undefined || number.length < span.end - span.start) return span;
  const quote = AFTER_NAME.exec(text.slice(Math.max(0, span.start - 50), span.start))?.[1];
  return quote === undefined ? span : { ...span, mark: quote + span.mark + quote };
}

/** No half of an escape is replaced. */
function withoutHalfEscapes(text: string, span: SecretSpan): SecretSpan {
  const { start, end } = span;
  const isInside = backslashes(text, start) % 2 === 1;
  const first = isInside ? start + (text.charAt(start) === "u" ? 5 : 1) : start;
  const last = backslashes(text, end) % 2 === 1 ? end - 1 : end;
  return first === start && last === end ? span : { ...span, start: first, end: Math.max(first, last) };
}

/** How many stand before a position. */
function backslashes(text: string, at: number): number {
  let count = 0;
  while (text.charAt(at - count - 1) === "\\") count += 1;
  return count;
}

/** Private keys that are written as several JSON strings, in pieces: no piece crosses the border of a string. */
function withinStrings(text: string, spans: readonly SecretSpan[]): readonly SecretSpan[] {
  if (!spans.some((span) => span.mark === PRIVATE_KEY)) return spans;
  return spans.flatMap((span) => (span.mark === PRIVATE_KEY ? pieces(text, span) : [span]));
}

function pieces(text: string, { start, end, mark: name }: SecretSpan): readonly SecretSpan[] {
  const found: SecretSpan[] = [];
  let from = start;
  const borders = [...text.slice(start, end).matchAll(BORDER), { 0: "", index: end - start }];
  for (const { 0: border, index } of borders) {
    const to = start + index;
    // Commas, brackets, numbers, `null` and line ends between two strings are no part of the key.
    if (/^\s*[^\s,:[\]{}].*[A-Za-z]/s.test(text.slice(from, to).replaceAll(WRITTEN, "")))
      found.push({ start: from, end: to, mark: name });
    from = to + border.length;
  }
  return found;
}

/** The same for a text that may be JSON. */
export function replaceSecrets(text: string, spans: readonly SecretSpan[]): string {
  return spans.length > 0 && looksLikeJson(text) ? replaceInJson(text, spans) : replaceSpans(text, spans);
}

function looksLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text) && /[\]}]\s*$/.test(text.slice(-100));
}

const MARKS = /\[redacted:[^\]]{1,100}\](?:#\d+)?/g;

/** Marks in names get numbers, so that no entry replaces another one with the same mark. */
function withNumberedNames(text: string, spans: readonly SecretSpan[]): readonly SecretSpan[] {
  const taken = new Set(Array.from(text.matchAll(MARKS), ([found]) => found));
  const counts = new Map<string, number>();
  const strings = new JsonStrings(text);
  return spans.map((span) => {
    if (!strings.mayBeName(span)) return span;
    let count = counts.get(span.mark) ?? 0;
    let name: string;
    do {
      count += 1;
      name = count === 1 ? span.mark : `${span.mark}#${count}`;
    } while (taken.has(name));
    counts.set(span.mark, count);
    return { ...span, mark: name };
  });
}

/** The strings of a JSON text, in their order. */
class JsonStrings {
  readonly #text: string;
  #end = 0;
  #isName = false;
  #lastQuote = -1;

  constructor(text: string) {
    this.#text = text;
  }

  /** Whether a span stands in a name, or in a string that may have JSON with names in it. Spans come in their order. */
  mayBeName({ start, end }: SecretSpan): boolean {
    while (this.#end <= start) if (!this.#next()) return false;
    return this.#isName || this.#lastQuote >= end;
  }

  #next(): boolean {
    const start = this.#text.indexOf('"', this.#end);
    let last = start === -1 ? -1 : this.#text.indexOf('"', start + 1);
    while (last !== -1 && backslashes(this.#text, last) % 2 === 1) last = this.#text.indexOf('"', last + 1);
    if (last === -1) return false;
    this.#end = last + 1;
    this.#isName = /^\s*:/.test(this.#text.slice(last + 1, last + 20));
    const quote = this.#text.slice(start, last).lastIndexOf('\\"');
    this.#lastQuote = quote === -1 ? -1 : start + quote;
    return true;
  }
}
