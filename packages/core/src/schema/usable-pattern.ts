import { splitPattern } from "./safe-pattern.ts";

const LONGEST = 4_000;
/** What the engine that matches in linear time takes, one repetition within another counted together. */
const MOST_REPEATS = 1_000;
/** Names of classes that the engine does not know, and a backspace, which it takes for the edge of a word. */
const FOREIGN = /\\[pP]\{(?!\p{Lu}\p{Ll}?\})|\[[^\]]*\\b/u;

/**
 * Whether values can be held against a pattern of a schema, in time linear in the value. One that is not usable
 * should be left out of the schemas of tools that check their arguments themselves: it would fail every call.
 */
export function isUsablePattern(value: unknown): boolean {
  if (typeof value !== "string" || value.length > LONGEST || FOREIGN.test(value)) return false;
  try {
    new RegExp(value, "u");
  } catch {
    return false;
  }
  const split = splitPattern(value);
  if ("refused" in split) return false;
  const parts = [split.main, ...split.lookaheads.map(({ pattern }) => pattern)];
  return parts.every((part) => mostRepeats(part) <= MOST_REPEATS);
}

const COUNT = /\{(\d{1,9})(?:,(\d{0,9}))?\}/y;
const CLASS = /\[(?:[^\]\\]|\\.)*\]/y;

/** How often the innermost part would be repeated: `(a{10}){20}` is 200. */
function mostRepeats(pattern: string): number {
  const groups = [1];
  let last = 1;
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at];
    const taken =
      char === "{" ? matchAt(COUNT, pattern, at) : char === "[" ? matchAt(CLASS, pattern, at) : undefined;
    if (char === "(") groups.push(1);
    else if (char === ")") last = groups.length > 1 ? (groups.pop() ?? 1) : 1;
    else if (char === "{" && taken !== undefined) last *= Math.max(1, Number(taken[2] || taken[1]));
    else last = 1;
    groups.push(Math.max(groups.pop() ?? 1, char === "(" ? 1 : last));
    at += char === "\\" ? 1 : (taken?.[0].length ?? 1) - 1;
  }
  return Math.max(...groups);
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | undefined {
  sticky.lastIndex = at;
  return sticky.exec(text) ?? undefined;
}
