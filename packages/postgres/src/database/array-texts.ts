/*
 * Arrays in the text form of PostgreSQL. The driver would escape each element as if it could be anything, which takes
 * longer than everything else it does for a commit of many sessions. An empty list is NULL.
 */

/** Of numbers, truth values, or texts of digits and letters. */
export function plainArray(items: readonly (number | boolean | string | null)[]): string | null {
  if (items.length === 0) return null;
  return `{${items.map((item) => item ?? "NULL").join()}}`;
}

const ESCAPED = /["\\]/g;

/** Of any texts. */
export function textArray(items: readonly (string | null)[]): string | null {
  if (items.length === 0) return null;
  return `{${items.map((item) => (item === null ? "NULL" : `"${item.replace(ESCAPED, "\\$&")}"`)).join()}}`;
}
