import { unlessThrown } from "../../contract/values/unless-thrown.ts";
import { type SafePattern, splitPattern } from "./safe-pattern.ts";

const LONGEST = 4_000;
/** What the engine that matches in linear time takes, one repetition within another counted together. */
const MOST_REPEATS = 1_000;
/** Parts that a pattern may have once its repetitions are written out. */
const LARGEST = 4_000;
/** Names of classes that the engine does not know, and a backspace, which it takes for the edge of a word. */
const FOREIGN = /\\[pP]\{(?!\p{Lu}\p{Ll}?\})|\[[^\]]*\\b/u;

/**
 * Whether values can be held against a pattern of a schema, in time linear in the value. One that is not usable
 * should be left out of the schemas of tools that check their arguments themselves: it would fail every call.
 */
export function isUsablePattern(value: unknown): boolean {
  if (typeof value !== "string" || value.length > LONGEST || FOREIGN.test(value)) return false;
  if (unlessThrown(() => new RegExp(value, "u")) === undefined) return false;
  const split = splitPattern(value);
  if ("refused" in split) return false;
  const parts = partsOf(split).map(extentOf);
  return sizeOf(parts) <= LARGEST && parts.every(({ repeats }) => repeats <= MOST_REPEATS);
}

/**
 * How many parts a usable pattern has once its repetitions are written out, as the engine does: each costs it some
 * hundred bytes. For importers of schemas with many patterns, which must bound their total cost.
 */
export function patternSize(pattern: string): number {
  const split = splitPattern(pattern);
  return "refused" in split ? 0 : sizeOf(partsOf(split).map(extentOf));
}

function partsOf({ main, lookaheads }: SafePattern): readonly string[] {
  return [main, ...lookaheads.map(({ pattern }) => pattern)];
}

function sizeOf(parts: readonly Extent[]): number {
  return parts.reduce((sum, { size }) => sum + size, 0);
}

const COUNT = /\{(\d{1,9})(?:,(\d{0,9}))?\}/y;
const CLASS = /\[(?:[^\]\\]|\\.)*\]/y;

/** How often the innermost part would be repeated, and how many parts there would be: `b(a{10}){20}` is 200 and 201. */
interface Extent {
  readonly repeats: number;
  readonly size: number;
}

const NOTHING: Extent = { repeats: 1, size: 0 };
const ONE: Extent = { repeats: 1, size: 1 };

function extentOf(pattern: string): Extent {
  const groups: Extent[] = [NOTHING];
  let last = NOTHING;
  const count = (more: Extent, instead = NOTHING) => {
    const { repeats, size } = groups.pop() ?? NOTHING;
    groups.push({ repeats: Math.max(repeats, more.repeats), size: size - instead.size + more.size });
    last = more;
  };
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at];
    const taken =
      char === "{" ? matchAt(COUNT, pattern, at) : char === "[" ? matchAt(CLASS, pattern, at) : undefined;
    if (char === "(") groups.push(NOTHING);
    else if (char === ")" && groups.length > 1) count(groups.pop() ?? NOTHING);
    else if (char === "{" && taken !== undefined) count(repeated(last, taken), last);
    else count(ONE);
    at += char === "\\" ? 1 : (taken?.[0].length ?? 1) - 1;
  }
  return groups.pop() ?? NOTHING;
}

function repeated({ repeats, size }: Extent, [, least, most]: RegExpExecArray): Extent {
  const times = Math.max(1, Number(most || least));
  return { repeats: repeats * times, size: size * times };
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | undefined {
  sticky.lastIndex = at;
  return sticky.exec(text) ?? undefined;
}
