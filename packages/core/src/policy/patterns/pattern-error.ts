import { expandBraces, MOST_ALTERNATIVES } from "./expand-braces.ts";
import type { TargetKind } from "./target-kind.ts";

export const LONGEST_PATTERN = 2_000;

/**
 * Why a pattern is refused, or `undefined`. One that means something else than its author thinks
 * would let pass what it was written to stop.
 */
export function patternError(pattern: string, kind: TargetKind): string | undefined {
  if (pattern === "") return "its pattern is empty; leave it out to mean everything";
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

interface Reason {
  readonly found: RegExp;
  readonly advice: string;
}

const IN_PATHS: readonly Reason[] = [
  { found: /[[\]\\]/, advice: "`[`, `]` and `\\` mean nothing in a path; write `{a,b}` or `?`" },
  {
    found: /[!+@?*]\(/,
    advice: "`!(`, `+(`, `@(`, `?(` and `*(` mean nothing in a path; write `{a,b}` or `?`",
  },
  { found: /^!/, advice: "a `!` at the start does not negate; write a rule with another action" },
  { found: /^~/, advice: "`~` means nothing in a path; write the whole path" },
];

const IN_SEGMENTS: readonly Reason[] = [
  {
    found: /[{}]/,
    advice: "a brace holds alternatives, as `{a,b}`, or a variable; write `?` for the character",
  },
  {
    found: /[^/]\*\*|\*\*[^/]/,
    advice: "`**` means more than `*` only as a whole segment; write `**/*.ts` for `**.ts`",
  },
  {
    found: /(?:^|\/)\.{1,2}(?:\/|$)/,
    advice: "no path has `.` or `..` in it when it is judged; write where it leads",
  },
  {
    found: /\/\/|.\/$/,
    advice: "no path has an empty segment; write `/folder/**` for all that is in `/folder/`",
  },
];

const VARIABLE = /\{[A-Za-z][\w-]*\}/g;

function pathError(pattern: string, alternatives: readonly string[]): string | undefined {
  const ofPattern = IN_PATHS.find(({ found }) => found.test(pattern));
  if (ofPattern !== undefined) return ofPattern.advice;
  const texts = alternatives.map((one) => one.replaceAll(VARIABLE, "x"));
  return IN_SEGMENTS.find(({ found }) => texts.some((text) => found.test(text)))?.advice;
}

const QUOTED = /'[^']*'|\\'/g;

const IN_COMMANDS: readonly Reason[] = [
  { found: /'/, advice: "a quote in its pattern is not closed" },
  { found: /["\\`]/, advice: "quote with `'`: `\"`, `\\` and a backtick mean nothing in a command pattern" },
  {
    found: /[|&;<>]/,
    advice:
      "commands are judged one by one; write a rule for each, and quote a character that is part of a word",
  },
];

function commandError(pattern: string): string | undefined {
  const unquoted = pattern.replaceAll(QUOTED, "");
  return IN_COMMANDS.find(({ found }) => found.test(unquoted))?.advice;
}
