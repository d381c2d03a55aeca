/** Deeper than any honest argument, and shallow enough for every recursive reader after us. */
const DEEPEST = 200;

/** What is said of arguments that JSON cannot hold. */
export const NOT_PLAIN =
  "The arguments hold something that is not plain data, such as a date or a set, so nobody could judge the call.";

/**
 * Whether JSON holds a value as it is: texts, numbers, flags, nulls, lists and plain objects. A field that is
 * `undefined` counts as one that is missing.
 */
export function isPlainData(value: unknown, depth = 0): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth > DEEPEST) return false;
  if (Array.isArray(value)) {
    // A list knows its holes by its length alone.
    return Array.from(value as unknown[]).every((inner) => isPlainData(inner, depth + 1));
  }
  return (
    isPlainObject(value) &&
    Object.values(value).every((inner) => inner === undefined || isPlainData(inner, depth + 1))
  );
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  const isBare = prototype === Object.prototype || prototype === null;
  return isBare && Object.getOwnPropertySymbols(value).length === 0;
}

/** A copy of plain data that nobody else holds. */
export function copyOf<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** JSON in which the order of fields does not matter: equal values give equal texts. Only for plain data. */
export function stableText(value: unknown): string {
  return JSON.stringify(sorted(JSON.parse(JSON.stringify(value) ?? "null")));
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
