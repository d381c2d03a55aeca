import { NAMING, NUMBERED, WORDED, WORDED_ENDS } from "./harmless-variables.ts";

const VALUES: ReadonlyMap<string, RegExp> = new Map([
  ...WORDED.split(" ").map((name) => [name, /^[\w.,:*@+-]*$/] as const),
  ...NUMBERED.split(" ").map((name) => [name, /^\d*$/] as const),
  ...Object.entries(NAMING),
]);

/** `NAME=value` before a command that is known to change nothing of what it does to files and machines. */
export function isHarmlessAssignment(text: string): boolean {
  const [, name = "", value = ""] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  return (VALUES.get(name) ?? (WORDED_ENDS.test(name) ? /^\w*$/ : undefined))?.test(value) === true;
}
