import type { SecretSpan } from "../contract/store/store.ts";
import { type Reading, withoutEscapes } from "./readings.ts";
import { mark } from "./spans.ts";

/** An address writes each byte in three characters. */
const LONGEST_FORM = 3;
const SHORTEST_FORM = 8;
const ENCODED_RUN = /[A-Za-z0-9+/_-]{10}/;
const encoder = new TextEncoder();

/** The values that were declared to be secret, found as they are and in the forms that programs write. */
export class DeclaredValues {
  readonly #marks = new Map<string, string>();
  /** Found in the text without line ends and escapes. */
  readonly #written = new Map<string, string>();
  /** Base64 and hexadecimal digits. */
  readonly #encoded = new Map<string, string>();
  #longest = 0;
  #pattern: RegExp | undefined;

  get isEmpty(): boolean {
    return this.#marks.size === 0;
  }

  /** How many characters a form of a value may have. */
  get longest(): number {
    return this.#longest * LONGEST_FORM;
  }

  add(name: string, value: string): void {
    const called = mark(name);
    for (const form of [value, JSON.stringify(value).slice(1, -1)]) this.#marks.set(form, called);
    for (const form of writtenForms(value)) this.#written.set(form, called);
    for (const form of encodedForms(value)) this.#encoded.set(form, called);
    this.#longest = Math.max(this.#longest, encoder.encode(value).length);
    this.#pattern = undefined;
  }

  /** Whether the text may have one. */
  isIn(text: string): boolean {
    if (this.isEmpty) return false;
    if (this.#expression.test(text)) return true;
    const reading = withoutEscapes(text);
    return this.#formsIn(reading?.text ?? text, reading !== undefined).next().done !== true;
  }

  find(text: string): readonly SecretSpan[] {
    if (this.isEmpty) return [];
    const spans: SecretSpan[] = [];
    for (const { 0: found, index } of text.matchAll(this.#expression))
      spans.push({ start: index, end: index + found.length, mark: this.#marks.get(found) as string });
    const reading: Reading | undefined = withoutEscapes(text);
    const forms = [...this.#formsIn(reading?.text ?? text, reading !== undefined)];
    return forms.length === 0 ? spans : [...spans, ...(reading?.inText(forms) ?? forms)];
  }

  /** Compiled with the first text after a value was added. */
  get #expression(): RegExp {
    const longestFirst = () => [...this.#marks.keys()].toSorted((a, b) => b.length - a.length);
    const escaped = () => longestFirst().map((form) => RegExp.escape(form));
    this.#pattern ??= new RegExp(escaped().join("|"), "g");
    this.#pattern.lastIndex = 0;
    return this.#pattern;
  }

  *#formsIn(text: string, isRead: boolean): Generator<SecretSpan> {
    if (isRead) yield* formsIn(text, this.#written);
    if (ENCODED_RUN.test(text)) yield* formsIn(text, this.#encoded);
  }
}

function* formsIn(text: string, forms: ReadonlyMap<string, string>): Generator<SecretSpan> {
  for (const [form, called] of forms)
    for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + form.length))
      yield { start: at, end: at + form.length, mark: called };
}

/** As it reads without line ends and escapes, and with the signs that a form has for blanks. */
function writtenForms(value: string): readonly string[] {
  const line = value.replaceAll(/\r?\n[ \t]*/g, "");
  const forms = [line, withoutEscapes(value)?.text ?? line, line.replaceAll(" ", "+")];
  return [...new Set(forms)].filter((form) => form.length >= SHORTEST_FORM);
}

function encodedForms(value: string): readonly string[] {
  const bytes = encoder.encode(value);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const parts = [0, 1, 2].map((offset) => base64Part(bytes, offset));
  const urlSafe = parts.map((part) => part.replaceAll("+", "-").replaceAll("/", "_"));
  return [...new Set([...parts, ...urlSafe, hex, hex.toUpperCase()])];
}

/** What base64 of any text has in it that has these bytes at such an offset from a group of three. */
function base64Part(bytes: Uint8Array, offset: number): string {
  let binary = "\0".repeat(offset);
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).slice(Math.ceil((offset * 8) / 6), Math.floor((binary.length * 8) / 6));
}
