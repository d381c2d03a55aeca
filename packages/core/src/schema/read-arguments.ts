import type { Arguments } from "../contract/policy/policy-call.ts";
import { findJsonError } from "./json-error.ts";

/** Deeper than any honest argument, and shallow enough for every recursive reader after us. */
const DEEPEST = 200;

export type ReadArguments =
  | { readonly args: Record<string, unknown>; readonly error?: undefined }
  | { readonly error: string };

/** Makes arguments of our own, from text or by a copy: no other code has a reference to what is executed. */
export function readArguments(input: unknown): ReadArguments {
  const read = typeof input === "string" ? parse(input) : copy(input);
  if (read.error !== undefined) return read;
  const { value } = read;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { error: `expected a JSON object, got ${value === null ? "null" : kindOf(value)}` };
  }
  return { args: value as Record<string, unknown> };
}

/** Freezes the arguments all the way down. Refuses names that could reach a prototype. */
export function freezeArguments(args: Record<string, unknown>): Arguments | undefined {
  return freeze(args) ? args : undefined;
}

function freeze(value: object): boolean {
  for (const key in value) {
    if (key === "__proto__") return false;
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner === "object" && inner !== null && !freeze(inner)) return false;
  }
  Object.freeze(value);
  return true;
}

type Read = { readonly value: unknown; readonly error?: undefined } | { readonly error: string };

function parse(text: string): Read {
  // A bracket opens and closes: text shorter than this cannot nest too deep.
  if (text.length > DEEPEST * 2 && isTooDeep(text)) return { error: `nested deeper than ${DEEPEST} levels` };
  try {
    return { value: JSON.parse(text) };
  } catch {
    // Some models send nothing at all for a tool without parameters.
    if (text.trim() === "") return { value: {} };
    const { position, diagnostic } = findJsonError(text);
    return { error: `not valid JSON at position ${position} of ${text.length}: ${diagnostic}` };
  }
}

function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
    if (depth > DEEPEST) return true;
  }
  return false;
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

function copy(value: unknown): Read {
  try {
    return { value: copyAt(value, 0) };
  } catch (error) {
    return { error: error instanceof RangeError ? error.message : "not plain data" };
  }
}

function copyAt(value: unknown, depth: number): unknown {
  if (depth > DEEPEST) throw new RangeError(`nested deeper than ${DEEPEST} levels`);
  if (Array.isArray(value)) return value.map((inner) => copyAt(inner, depth + 1) ?? null);
  if (typeof value === "object" && value !== null) {
    const out: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      const inner = copyAt((value as Record<string, unknown>)[key], depth + 1);
      // Plain assignment would set the prototype instead of a property.
      if (key === "__proto__") Object.defineProperty(out, key, { value: inner, enumerable: true });
      else if (inner !== undefined) out[key] = inner;
    }
    return out;
  }
  if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") {
    throw new RangeError(`a ${typeof value} is not JSON`);
  }
  return value;
}

export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
