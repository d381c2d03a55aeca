import { expandBraces, LONGEST_PATTERN, MOST_ALTERNATIVES } from "../../file-names/text-pattern.ts";
import type { TargetKind } from "./compile-glob.ts";
import { IN_COMMANDS, IN_PATHS, IN_SEGMENTS } from "./pattern-advice.ts";

/** Why a pattern is invalid, or `undefined`. One that means something else would allow what it was written to stop. */
export function patternError(pattern: string, kind: TargetKind): string | undefined {
  if (pattern === "") return "its pattern is empty; leave it out to match everything";
  if (pattern.length > LONGEST_PATTERN) return `its pattern is longer than ${LONGEST_PATTERN} characters`;
  const alternatives = expandBraces(pattern);
  if (alternatives === undefined) {
    return `its pattern has more than ${MOST_ALTERNATIVES} alternatives; write several rules`;
  }
  if (kind === "command") return commandError(pattern);
  if (pattern !== pattern.trim() || /\p{Cc}/u.test(pattern)) {
    return "its pattern has white space around it or control characters in it";
  }
  return kind === "path" ? pathError(pattern, alternatives) : undefined;
}

const VARIABLE = /\{[A-Za-z][\w-]*\}/g;

function pathError(pattern: string, alternatives: readonly string[]): string | undefined {
  const ofPattern = IN_PATHS.find(({ found }) => found.test(pattern));
  if (ofPattern !== undefined) return ofPattern.advice;
  const texts = alternatives.map((one) => one.replaceAll(VARIABLE, "x"));
  return IN_SEGMENTS.find(({ found }) => texts.some((text) => found.test(text)))?.advice;
}

const QUOTED = /'[^']*'|\\'/g;

function commandError(pattern: string): string | undefined {
  const unquoted = pattern.replaceAll(QUOTED, "");
  return IN_COMMANDS.find(({ found }) => found.test(unquoted))?.advice;
}

/** How many characters match themselves: the more, the more specific. Of alternatives the shortest decides. */
export function literalLength(pattern: string): number {
  const alternatives = expandBraces(pattern.replaceAll(VARIABLE, "")) ?? [""];
  return Math.min(...alternatives.map((one) => withoutOpenEnd(one).replaceAll(/[*?{}]/g, "").length));
}

/** The space before a last `*` belongs to it: together they may match no word at all. */
function withoutOpenEnd(pattern: string): string {
  let end = pattern.length;
  while (pattern[end - 1] === "*") end -= 1;
  return end === pattern.length ? pattern : pattern.slice(0, end).trimEnd();
}
