/** An object that can write itself as JSON. */
export interface JsonSource {
  readonly value: unknown;
  /** Its JSON after the opening brace. */
  readonly fields: string;
  /** About how many characters its JSON has. */
  readonly size: number;
}

/** A value together with its JSON, so that it is written once and parsed only where it is read. */
export class JsonText implements JsonSource {
  readonly text: string;
  #value: { readonly parsed: unknown } | undefined;

  constructor(text: string) {
    this.text = text;
  }

  static of(value: unknown): JsonText {
    return new JsonText(JSON.stringify(value) ?? "null");
  }

  get value(): unknown {
    this.#value ??= { parsed: JSON.parse(this.text) };
    return this.#value.parsed;
  }

  get fields(): string {
    return this.text.slice(1);
  }

  get size(): number {
    return this.text.length;
  }

  toJSON(): unknown {
    return this.value;
  }
}

let lastTime = 0;
let lastText = "0";

/** A time in whole milliseconds as text. Many are written in the same millisecond, and large numbers are slow to print. */
export function timeText(milliseconds: number): string {
  if (milliseconds !== lastTime) {
    lastTime = milliseconds;
    lastText = String(milliseconds);
  }
  return lastText;
}

let lastQuoted = "";
let lastQuotedText = '""';

/** A text as JSON. The same id is often written twice in a row. */
export function quotedText(text: string): string {
  if (text !== lastQuoted) {
    lastQuoted = text;
    lastQuotedText = JSON.stringify(text);
  }
  return lastQuotedText;
}

/** JSON of plain data with sorted keys: equal values have equal texts, whatever the order of their keys. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(",")}}`;
}
