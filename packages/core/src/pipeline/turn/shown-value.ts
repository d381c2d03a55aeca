import type { Arguments } from "../../contract/policy/policy-call.ts";
import type { Redactor } from "../../contract/store/store.ts";
import { unlessThrown } from "../../contract/values/unless-thrown.ts";

/** What a hook is shown of a value: a copy as JSON, with its secrets replaced; `undefined` if JSON cannot hold it. */
export function shownValue(value: unknown, redactor: Redactor): unknown {
  const text = encoded(value);
  return text === undefined ? undefined : JSON.parse(redactor.redactJson(text));
}

/** What a hook is shown of arguments: the frozen ones of the call, where they hold no secret. */
export function shownArguments(
  { args, argsText }: { readonly args: Arguments; readonly argsText: string },
  redactor: Redactor,
): Arguments {
  const text = redactor.redactJson(argsText);
  return text === argsText ? args : (JSON.parse(text) as Arguments);
}

/** A value as JSON; `undefined` if it cannot be written so. */
export function encoded(value: unknown): string | undefined {
  return unlessThrown(() => JSON.stringify(value));
}
