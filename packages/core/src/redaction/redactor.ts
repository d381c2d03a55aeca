import type { Redactor, SecretSpan } from "../contract/redactor.ts";
import { mapStrings } from "./map-strings.ts";
import { mayHaveSecret } from "./secret-hint.ts";
import { SECRET_SHAPES } from "./secret-shapes.ts";

export type { Redactor, SecretSpan };

const SHORTEST_SECRET = 8;
const NOTHING: readonly SecretSpan[] = [];

const SHAPES = new RegExp(SECRET_SHAPES.map((shape) => `(${shape.pattern})`).join("|"), "g");

/**
 * Makes a redactor: finds secrets by their shape, and the values that it is given, and replaces them in everything that
 * is recorded, shown or sent to a model.
 *
 * @example
 * const redactor = createRedactor();
 * redactor.add("API_KEY", apiKey);
 * const session = await createSession({ tools, redactor });
 */
export function createRedactor(): Redactor {
  const marks = new Map<string, string>();
  let values: RegExp | undefined;
  let hasValue: RegExp | undefined;

  function find(text: string): readonly SecretSpan[] {
    const hasShape = mayHaveSecret(text);
    if (values === undefined && !hasShape) return NOTHING;
    const spans: SecretSpan[] = [];
    for (const match of values === undefined ? [] : text.matchAll(values)) {
      spans.push(spanOf(match, marks.get(match[0]) ?? mark("secret")));
    }
    if (hasShape) for (const span of shapeSpans(text)) spans.push(span);
    return spans.length > 1 ? withoutOverlap(spans) : spans;
  }

  function redact(text: string): string {
    return replaceSpans(text, find(text));
  }

  return {
    find,
    redact,
    redactJson: (text) =>
      mayHaveSecret(text) || hasValue?.test(text) === true ? redactInside(text, find) : text,
    add(name, value) {
      if (value.length < SHORTEST_SECRET) return;
      for (const form of [value, JSON.stringify(value).slice(1, -1)]) marks.set(form, mark(name));
      const longestFirst = [...marks.keys()].toSorted((a, b) => b.length - a.length);
      const source = longestFirst.map((form) => RegExp.escape(form)).join("|");
      values = new RegExp(source, "g");
      hasValue = new RegExp(source);
    },
  };
}

function redactInside(text: string, find: Redactor["find"]): string {
  const value = parsed(replaceSpans(text, find(text).filter(isKey))) ?? JSON.parse(text);
  return JSON.stringify(mapStrings(value, (one) => replaceSpans(one, find(one))));
}

/** A key may be a list of its lines, or an object that says elsewhere what it is: no string of it is known by itself. */
const isKey = ({ mark: text }: SecretSpan) => text === mark("private-key");

/** `undefined` where more was taken out than strings. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function replaceSpans(text: string, spans: readonly SecretSpan[]): string {
  if (spans.length === 0) return text;
  let out = "";
  let at = 0;
  for (const span of spans) {
    out += text.slice(at, span.start) + span.mark;
    at = span.end;
  }
  return out + text.slice(at);
}

function spanOf(match: RegExpMatchArray, markText: string): SecretSpan {
  const start = match.index ?? 0;
  return { start, end: start + match[0].length, mark: markText };
}

/** Where two overlap, one mark covers both. */
function withoutOverlap(spans: readonly SecretSpan[]): readonly SecretSpan[] {
  const merged: SecretSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    else if (span.end > last.end) merged[merged.length - 1] = { ...last, end: span.end };
  }
  return merged;
}

function* shapeSpans(text: string): Generator<SecretSpan> {
  for (const match of text.matchAll(SHAPES)) {
    const group = match.slice(1).findIndex((part) => part !== undefined);
    const shape = SECRET_SHAPES[group];
    const [from, to] = shape?.inner?.(match[0]) ?? [0, match[0].length];
    const start = match.index + from;
    const end = shape?.endIn?.(text, match.index, match.index + to) ?? match.index + to;
    if (end > start) yield { start, end, mark: mark(shape?.name ?? "secret") };
  }
}

/** Square brackets only: the mark must be harmless inside a JSON string. */
function mark(name: string): string {
  return `[redacted:${name.replaceAll(/[^A-Za-z0-9_.-]/g, "_")}]`;
}
