import { expandBraces } from "./expand-braces.ts";

const VARIABLE = /\{[A-Za-z][\w-]*\}/g;

/**
 * How many characters of a pattern stand for themselves: the more, the more specific it is. Of
 * several alternatives the shortest counts.
 */
export function literalLength(pattern: string): number {
  const alternatives = expandBraces(pattern.replaceAll(VARIABLE, "")) ?? [""];
  return Math.min(...alternatives.map((one) => withoutOpenEnd(one).replaceAll(/[*?{}]/g, "").length));
}

/** The space before a last `*` goes with it: together they may stand for no word at all. */
function withoutOpenEnd(pattern: string): string {
  let end = pattern.length;
  while (pattern[end - 1] === "*") end -= 1;
  return end === pattern.length ? pattern : pattern.slice(0, end).trimEnd();
}
