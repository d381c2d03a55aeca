/** Deeper than real arguments, and shallow enough for every recursive function. */
const DEEPEST = 200;

/** The message for arguments that JSON cannot represent. */
export const NOT_PLAIN =
  "The arguments contain a value that is not plain data, such as a date or a set, so policy cannot evaluate the call.";

/**
 * Whether JSON represents a value exactly: strings, numbers, booleans, null, arrays and plain objects. A property that
 * is `undefined` is treated as missing.
 */
export function isPlainData(value: unknown, depth = 0): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth > DEEPEST) return false;
  if (Array.isArray(value)) {
    // `Array.from` includes holes.
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

/** A deep copy of plain data. */
export function copyOf<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
