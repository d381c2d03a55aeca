/** Holds targets against one pattern. */
export interface TargetPattern {
  /** Whether the target is covered. One that is a pattern itself must be covered whole. */
  matches(target: string, kind: TargetKind): boolean;
  /** Whether the target, where it is a pattern itself, could stand for something that this one covers. */
  mayMatch(target: string, kind: TargetKind): boolean;
}

/** Paths have segments; hosts, command lines and whatever else are texts. */
export type TargetKind = "path" | "text";

/** What kind of target a capability has. */
export function kindOfTarget(capability: string): TargetKind {
  return capability.startsWith("fs.") ? "path" : "text";
}

const WILD = /[*?{]/;
const MOST_ALTERNATIVES = 256;

/**
 * Compiles a pattern. In a path `*` matches within a segment and `**`, as a segment, any number of
 * segments, none included; elsewhere `*` matches anything. `?` is one character, `{a,b}` one of
 * several. Anchored at both ends. Matching takes time linear in the pattern times the target.
 */
export function compileGlob(pattern: string): TargetPattern {
  const alternatives = expandBraces(pattern).map((text) => ({ text, segments: text.split("/") }));
  return {
    matches: (target, kind) =>
      WILD.test(target)
        ? alternatives.some((one) => coversPattern(one.text, target))
        : alternatives.some((one) => matchesOne(one, target, kind)),
    mayMatch: (target, kind) =>
      WILD.test(target)
        ? alternatives.some((one) => mayOverlap(one.text, target))
        : alternatives.some((one) => matchesOne(one, target, kind)),
  };
}

interface Alternative {
  readonly text: string;
  readonly segments: readonly string[];
}

function matchesOne({ text, segments }: Alternative, target: string, kind: TargetKind): boolean {
  if (text === "**" || text === target) return true;
  if (kind === "text") return matchesText(text, target);
  return matchesPath(segments, target.split("/"));
}

/** Greedy, with one way back: to the last `**`. */
function matchesPath(pattern: readonly string[], path: readonly string[]): boolean {
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
    } else if (part !== undefined && matchesText(part, path[index] as string)) {
      at += 1;
      index += 1;
    } else if (globstar >= 0) {
      resume += 1;
      index = resume;
      at = globstar + 1;
    } else return false;
  }
  while (pattern[at] === "**") at += 1;
  return at === pattern.length;
}

/** The same for the characters of a text, where every `*` matches anything. */
function matchesText(pattern: string, text: string): boolean {
  let at = 0;
  let index = 0;
  let star = -1;
  let resume = 0;
  while (index < text.length) {
    const char = pattern[at];
    if (char === "*") {
      star = at;
      resume = index;
      at += 1;
    } else if (char === "?" || (char !== undefined && char === text[index])) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      resume += 1;
      index = resume;
      at = star + 1;
    } else return false;
  }
  while (pattern[at] === "*") at += 1;
  return at === pattern.length;
}

/** Sure only of what is plain to see: the same pattern, or everything beneath a folder that holds it. */
function coversPattern(pattern: string, target: string): boolean {
  if (pattern === "**" || pattern === target || (pattern === "*" && !target.includes("/"))) return true;
  const folder = pattern.endsWith("/**") ? pattern.slice(0, -2) : undefined;
  return folder !== undefined && !WILD.test(folder) && target.startsWith(folder);
}

/** Not sure means yes: what stands before the first wildcard decides. */
function mayOverlap(pattern: string, target: string): boolean {
  const [one, other] = [literalStart(pattern), literalStart(target)];
  return one.startsWith(other) || other.startsWith(one);
}

function literalStart(pattern: string): string {
  const wild = pattern.search(WILD);
  return wild === -1 ? pattern : pattern.slice(0, wild);
}

function expandBraces(pattern: string): readonly string[] {
  let open = [pattern];
  const done: string[] = [];
  while (open.length > 0 && open.length + done.length <= MOST_ALTERNATIVES) {
    const next: string[] = [];
    for (const one of open) {
      const choice = /\{([^{}]*,[^{}]*)\}/.exec(one);
      if (choice === null) done.push(one);
      else next.push(...(choice[1] as string).split(",").map((part) => one.replace(choice[0], () => part)));
    }
    open = next;
  }
  return [...done, ...open];
}
