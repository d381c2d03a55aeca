/** Look-around and back-references cannot be matched in linear time, and core refuses them. */
const BACKTRACKING = /\(\?<?[=!]|\\[1-9]|\\k</;
const LONGEST = 4_000;
/** What the engine that matches in linear time takes, one repetition within another counted together. */
const MOST_REPEATS = 1_000;

/** Whether a pattern of a document can be matched by core's engine. */
export function isUsablePattern(value: unknown): boolean {
  if (typeof value !== "string" || value.length > LONGEST || BACKTRACKING.test(value)) return false;
  try {
    return new RegExp(value, "u") instanceof RegExp && mostRepeats(value) <= MOST_REPEATS;
  } catch {
    return false;
  }
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
