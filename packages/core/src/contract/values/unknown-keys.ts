import { closestName } from "./diagnostic.ts";
import { type ErrorCode, ToolkeepError } from "./error.ts";

/**
 * Refuses a key that an object of options does not have: a misspelled option may have been meant to forbid something.
 * @throws ToolkeepError `Unknown session option "aprover". Did you mean "approver"?`
 */
export function assertKnownKeys(
  options: object,
  known: Iterable<string>,
  what: string,
  code: ErrorCode = "invalid_option",
): void {
  const names = new Set(known);
  const unknown = Object.keys(options).find((key) => !names.has(key));
  if (unknown !== undefined) throw new ToolkeepError(code, unknownKey(unknown, names, what));
}

/** `Unknown <what> "<key>".`, with a suggestion where a known key is close. */
export function unknownKey(key: string, known: Iterable<string>, what: string): string {
  const near = closestName(key, known);
  const suggestion = near === undefined ? "" : ` Did you mean ${JSON.stringify(near)}?`;
  return `Unknown ${what} ${JSON.stringify(key)}.${suggestion}`;
}
