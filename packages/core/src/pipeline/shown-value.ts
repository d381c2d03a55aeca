import type { Redactor } from "../contract/redactor.ts";

/**
 * What a hook is shown of a value: a copy as JSON, with its secrets replaced. `undefined` for what cannot be written as
 * JSON.
 */
export function shownValue(value: unknown, redactor: Redactor, knownText?: string): unknown {
  const text = knownText ?? encoded(value);
  return text === undefined ? undefined : JSON.parse(redactor.redactJson(text));
}

function encoded(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
