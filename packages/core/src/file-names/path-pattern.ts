import { coversText, expandBraces, isWildText, sequencesMeet, textsMeet } from "./text-pattern.ts";

/** A path or a path pattern by its segments. The root has one, before its slash. */
export type Segments = readonly string[];

export function segmentsOf(path: string): Segments {
  if (path === "/") return ROOT;
  return path === "" ? NONE : path.split("/");
}

const ROOT: Segments = [""];
const NONE: Segments = [];

/** The segments of a pattern. `**` after `**` says nothing more. */
export function patternSegments(pattern: string): Segments {
  const segments = segmentsOf(pattern);
  return segments.filter((segment, index) => segment !== "**" || segments[index - 1] !== "**");
}

/** What a pattern allows, for each of its alternatives. */
export function allowedSegments(pattern: string): readonly Segments[] {
  return (expandBraces(narrowed(pattern)) ?? []).map(patternSegments);
}

/**
 * A `**` first after the root, or last after a segment that ends with `*`, is widely taken for one
 * segment at least: no less is allowed, while what forbids or asks takes it for none too.
 */
function narrowed(pattern: string): string {
  const segments = patternSegments(pattern);
  const isFirst = segments.length > 2 && segments[0] === "" && segments[1] === "**";
  const isLast = segments.at(-1) === "**" && segments.at(-2)?.endsWith("*") === true;
  if (!isFirst && !isLast) return pattern;
  const [root, ...rest] = segments;
  const start = isFirst ? [root, "**", "*", ...rest.slice(1)] : segments;
  return (isLast ? [...start, "*"] : start).join("/");
}

/** Whether a path may lead elsewhere: it steps up, has empty segments, or is a pattern like `.*` that may step up. */
export function isAstray(path: Segments): boolean {
  for (let index = 0; index < path.length; index += 1) {
    const segment = path[index] as string;
    if (segment === "" ? index > 0 : segment.charCodeAt(0) === DOT && stepsUp(segment)) return true;
  }
  return false;
}

const DOT = 46;

function stepsUp(segment: string): boolean {
  if (segment === "." || segment === "..") return true;
  return isWildText(segment) && textsMeet(segment, "..");
}

/**
 * Whether a pattern covers a path: `**` is any number of segments, none included, and what is wild in
 * another segment stays within it. Greedy, with one way back: to the last `**`.
 */
export function coversPath(pattern: Segments, path: Segments): boolean {
  let at = 0;
  let index = 0;
  let globstar = -1;
  let resume = 0;
  while (index < path.length) {
    const part = pattern[at];
    if (part === "**") {
      globstar = at;
      resume = index;
      at += 1;
    } else if (part !== undefined && coversSegment(part, path[index] as string)) {
      at += 1;
      index += 1;
    } else if (globstar >= 0) {
      resume += 1;
      index = resume;
      at = globstar + 1;
    } else return false;
  }
  if (pattern[at] === "**") at += 1;
  return at === pattern.length;
}

/** A `**` in a path that is a pattern itself is covered by a `**` alone. */
function coversSegment(part: string, segment: string): boolean {
  return part === segment || (coversText(part, segment) && !segment.includes("**"));
}

/** Whether a pattern covers something that a path, which is a pattern itself, could stand for. */
export function pathsMeet(pattern: Segments, path: Segments): boolean {
  return sequencesMeet(pattern, path, SEGMENTS);
}

/** The same for a path that a shell expands: what is wild at the beginning of a name stands for no dot. */
export function visiblePathsMeet(pattern: Segments, path: Segments): boolean {
  return sequencesMeet(pattern, path, VISIBLE_SEGMENTS);
}

const isGlobstar = (segment: string) => segment.includes("**");

const SEGMENTS = {
  oneRuns: (segment: string) => segment === "**",
  otherRuns: isGlobstar,
  meets: (one: string, other: string) => isGlobstar(other) || textsMeet(one, other),
};

const VISIBLE_SEGMENTS = {
  ...SEGMENTS,
  meets: (one: string, other: string) =>
    SEGMENTS.meets(one, other) && !(one.startsWith(".") && /^[*?]/.test(other) && !isGlobstar(other)),
};
