import { expression, listIn, rowsByName, VARIABLE_NAMES as table } from "@toolkeep/catalog/internal";

/*
 * Variables that change how much is said, in which language, how fast and in which mode, and neither what is run nor
 * where from. Left out on purpose: what names options, programs, modules, paths or hosts.
 */
const VALUES: ReadonlyMap<string, RegExp> = new Map([
  ...listIn(table.worded).map((name) => [name, /^[\w.,:*@+-]*$/] as const),
  ...listIn(table.numbered).map((name) => [name, /^\d*$/] as const),
  // They name a program: values that name one which does nothing.
  ...Object.entries(rowsByName(table.naming, expression)),
]);

/** What a name ends with that says how much, how many or how loud. */
const WORDED_ENDS = expression(table.wordedEnds);

/** `NAME=value` before a command that is known to change nothing of what it does to files and machines. */
export function isHarmlessAssignment(text: string): boolean {
  const [, name = "", value = ""] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  return (VALUES.get(name) ?? (WORDED_ENDS.test(name) ? /^\w*$/ : undefined))?.test(value) === true;
}
