import type { Redactor } from "../contract/store/store.ts";
import { argumentSecret } from "./argument-lists.ts";
import { PRIVATE_KEY, replaceInJson, replaceSecrets } from "./json-borders.ts";
import { replaceNames } from "./map-strings.ts";
import { isSecret, isSecretNumber } from "./named-values.ts";
import { secretName } from "./secret-names.ts";
import { mark, marked, replaceSpans, withNamed } from "./spans.ts";

/**
 * JSON text with the secrets in it replaced: what is found in its strings, what stands under the name of a secret, numbers
 * included, and what is one in a list of arguments.
 */
export function redactInside(text: string, find: Redactor["find"]): string {
  return JSON.stringify(inside(JSON.parse(withoutKeys(text, find)), find, {}));
}

const MAY_HAVE_KEY = /PRIVATE|Private-|Static|kty/;

/** A key may be a list of its lines, or an object that says elsewhere what it is: no string of it is known by itself. */
function withoutKeys(text: string, find: Redactor["find"]): string {
  if (!MAY_HAVE_KEY.test(text)) return text;
  const keys = find(text).filter(({ mark: found }) => found === PRIVATE_KEY);
  return replaceInJson(text, keys);
}

/** What is known of a value from what stands around it. */
interface Around {
  /** The name that it stands under. */
  readonly name?: string | undefined;
  /** Of a list, the program that it may be the arguments of. */
  readonly program?: string | undefined;
  /** Whether it is an item of a list that has only pairs. */
  readonly isPair?: boolean;
}

function inside(value: unknown, find: Redactor["find"], around: Around): unknown {
  if (typeof value === "string") return redactNamed(value, around.name, find);
  if (typeof value === "number") return redactNumber(value, around.name);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return listInside(value, find, around);
  const keys = Object.keys(value);
  const names = replaceNames(keys, (key) => replaceSpans(key, find(key)));
  const fields = value as Readonly<Record<string, unknown>>;
  const entries = keys.map((key, index) => {
    const known = { name: nameOf(value, key, around.name), program: programOf(value, key) };
    return [names[index], inside(fields[key], find, known)];
  });
  return Object.fromEntries(entries);
}

function listInside(list: readonly unknown[], find: Redactor["find"], around: Around): unknown[] {
  const isOfPairs = list.length > 0 && list.every(isPair);
  let command = around.program === undefined ? "" : `${around.program} `;
  return list.map((item, index) => {
    const before: unknown = list[index - 1];
    const text = typeof before === "string" ? before : undefined;
    const name = around.isPair === true && index === 1 ? text : text?.startsWith("--") ? text : around.name;
    if (typeof item !== "string") return inside(item, find, { name, isPair: isOfPairs });
    const secret = argumentSecret(item, { before: text, command });
    // An argument of several words is no program.
    if (command.length < LONGEST_COMMAND) command += /\s/.test(item) ? "_ " : `${item} `;
    return secret === undefined
      ? redactNamed(item, name, find)
      : replaceSpans(item, withNamed(find(item), [marked(secret)]));
  });
}

const LONGEST_COMMAND = 400;

/** `["DB_PASSWORD", "x"]`, as environments and headers are listed. */
function isPair(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === "string";
}

/** A string of JSON: with what is found in it, or all of it where its name is that of a secret. */
function redactNamed(text: string, name: string | undefined, find: Redactor["find"]): string {
  const spans = find(text);
  const known = name === undefined || spans.length > 0 ? undefined : secretOf(name);
  if (known === undefined) return replaceSecrets(text, spans);
  const value = known.kind === "authorization" ? text.replace(/^[A-Za-z-]{1,20} +/, "") : text;
  const isWord = !/\s/.test(value) || known.kind === "cookie" || known.kind === "card";
  return isWord && isSecret(value, known, true) ? mark(known.mark) : text;
}

/** A mark is a text: a number in the place of a number would be taken for the value. */
function redactNumber(value: number, name: string | undefined): number | string {
  const known = name === undefined || !Number.isInteger(value) ? undefined : secretOf(name);
  return known !== undefined && isSecretNumber(String(value), known) ? mark(known.mark) : value;
}

/** Of an option, without its hyphens. */
function secretOf(name: string): ReturnType<typeof secretName> {
  return secretName(name.replace(/^-{1,2}/, ""));
}

/** Of `{ "name": "DB_PASSWORD", "value": "x" }`, the name that is a value; of `{ "pin": { "value": 1234 } }`, the outer one. */
function nameOf(value: object, key: string, outer: string | undefined): string {
  if (key !== "value") return key;
  const named: unknown = "name" in value ? value.name : "key" in value ? value.key : outer;
  return typeof named === "string" ? named : key;
}

const LISTS = new Set(["args", "argv", "arguments", "parameters"]);
const PROGRAMS = ["command", "cmd", "program", "executable", "file", "bin", "path"];

/** Of `{ "command": "mysql", "args": ["-px"] }`, the program of the list. */
function programOf(value: object, key: string): string | undefined {
  if (!LISTS.has(key)) return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  const program = PROGRAMS.map((name) => fields[name]).find((one) => typeof one === "string");
  return typeof program === "string" ? program.slice(0, LONGEST_COMMAND) : undefined;
}
