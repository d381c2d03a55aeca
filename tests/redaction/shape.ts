import fc from "fast-check";
import { makeSecret, Numbers } from "./made-secret.ts";
import { SECRET_KINDS } from "./secret-kinds.ts";

/** Registered with the redactor before a value is looked at. */
export const DECLARED = 'horse "battery", staple: 7';

const secret = fc
  .tuple(fc.constantFrom(...SECRET_KINDS), fc.nat())
  .map(([kind, seed]) => makeSecret(kind.format, new Numbers(seed)).value);

const KEY_LINE = "MIIEowIBAAKCAQEAz7bq8h1Q2kX9vYp0uWc3dE4fG5hI6jK7lM8nO9pQ0rS1tU2";
const BEGIN = "-----BEGIN PRIVATE KEY-----";
const END = "-----END PRIVATE KEY-----";

/** Words that a person must see, wherever a model puts them. */
const WORDS = ["production", "DROP production", "rm -rf /srv", "reboot", "deleteEverything", "staging"];

const MARKS = ["[redacted:github-token]", "[redacted:github-token]#2", "[redacted:private-key]"];

const part = fc.oneof(
  secret,
  fc.constantFrom(...WORDS),
  fc.constantFrom(BEGIN, END, KEY_LINE, `${BEGIN}\n${KEY_LINE}`, `${KEY_LINE}\n${END}`, DECLARED),
  fc.constantFrom(...MARKS, "password='a1B2c3D4", "'", "Cookie: a=", "--password", "-p", "mysql", "kty", '"'),
  fc.string({ maxLength: 6 }),
);

const text = fc.oneof(
  part,
  fc
    .tuple(
      part,
      fc.constantFrom(" ", "\n", "=", ": ", '","', "\n'", '" ', "\\", ` ${"long ".repeat(80)}`),
      part,
    )
    .map((parts) => parts.join("")),
);

const name = fc.oneof(
  text,
  fc.constantFrom(
    "__proto__",
    "constructor",
    "1",
    "0",
    "password",
    "token",
    "d",
    "kty",
    "args",
    "name",
    "value",
  ),
);

/** An object with its entries as own properties, whatever they are called. */
function record(entries: readonly (readonly [string, unknown])[]): unknown {
  return Object.fromEntries(entries);
}

/** Random JSON values with secrets anywhere: as names, items, numbers, and in strings that are JSON themselves. */
export const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    text,
    fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.constant(4_111_111_111_111_111)),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.array(fc.tuple(name, tie("value")), { maxLength: 5 }).map(record),
    fc.array(text, { maxLength: 6 }),
    fc
      .tuple(tie("value"), fc.constantFrom(0, 2))
      .map(([inner, indent]) => JSON.stringify(inner, null, indent)),
  ),
}));

const MARK = /\[redacted:[^\]]+\]/;

/** Where what is shown has another shape than the value itself: an entry or an item less, a word that is not there. */
export function difference(raw: unknown, shown: unknown, at = "$"): string | undefined {
  if (typeof raw === "string") return textDifference(raw, shown, at);
  if (typeof raw === "number")
    return shown === raw || isMark(shown) ? undefined : `${at}: ${raw} became ${JSON.stringify(shown)}`;
  if (typeof raw !== "object" || raw === null) return shown === raw ? undefined : `${at}: another value`;
  if (typeof shown !== "object" || shown === null || Array.isArray(raw) !== Array.isArray(shown))
    return `${at}: another kind of value`;
  return Array.isArray(raw)
    ? itemDifference(raw, shown as unknown[], at)
    : entryDifference(Object.entries(raw), Object.entries(shown), at);
}

function isMark(shown: unknown): boolean {
  return typeof shown === "string" && MARK.test(shown);
}

function itemDifference(raw: readonly unknown[], shown: readonly unknown[], at: string): string | undefined {
  if (raw.length !== shown.length) return `${at}: ${shown.length} of ${raw.length} items`;
  return firstOf(raw, (inner, index) => difference(inner, shown[index], `${at}[${index}]`));
}

type Entries = readonly (readonly [string, unknown])[];

function entryDifference(raw: Entries, shown: Entries, at: string): string | undefined {
  if (raw.length !== shown.length) return `${at}: ${shown.length} of ${raw.length} entries`;
  return firstOf(raw, ([key, inner], index) => {
    const [shownKey = "", shownInner] = shown[index] ?? [];
    if (shownKey !== key && !isMark(shownKey)) return `${at}: ${key} became ${shownKey}`;
    return difference(inner, shownInner, `${at}.${key}`);
  });
}

function textDifference(raw: string, shown: unknown, at: string): string | undefined {
  if (typeof shown !== "string") return `${at}: no text`;
  if (shown === raw) return undefined;
  if (!MARK.test(shown))
    return `${at}: ${JSON.stringify(raw)} became ${JSON.stringify(shown)} without a mark`;
  const inner = parsed(raw);
  if (typeof inner !== "object" || inner === null || /^\[redacted:[^\]]+\]$/.test(shown)) return undefined;
  const shownInner = parsed(shown);
  return shownInner === undefined
    ? `${at}: JSON in a text is none any more`
    : difference(inner, shownInner, `${at}>`);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function firstOf<Item>(items: readonly Item[], look: (item: Item, index: number) => string | undefined) {
  for (const [index, item] of items.entries()) {
    const found = look(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}
