import { ToolFailure } from "@toolkeep/core";
import { expandChoices } from "@toolkeep/core/internal";
import { meetsAll } from "./meets-all.ts";

/** A glob that matches only beneath the folder it is matched against. */
export interface RelativeGlob {
  /** Whether it matches a path relative to the folder. */
  matches(path: string): boolean;
  /** How many folders deep a match can be at most, with its own name. */
  readonly depth: number;
  /** What the last name of a match looks like, where that narrows anything. Plain enough for any other matcher. */
  readonly lastNames: readonly string[] | undefined;
}

/** Matches whatever there is. */
export const EVERY_PATH: RelativeGlob = Object.freeze({
  matches: () => true,
  depth: Number.POSITIVE_INFINITY,
  lastNames: undefined,
});

const LONGEST_GLOB = 1_024;

/**
 * Compiles a glob: `*` and `?` within a name, `**` for any number of folders, `[a-z]`, `{a,b}`, and `\` before a
 * literal character. Matching takes time linear in the glob times the path.
 * @throws ToolFailure `invalid_arguments` for one that is absolute, goes up, or expands to too many patterns.
 */
export function relativeGlob(glob: string): RelativeGlob {
  if (glob === "" || glob.includes("\0") || glob.length > LONGEST_GLOB) throw refused(glob, "cannot be used");
  const alternatives = expandChoices(glob, firstChoice);
  if (alternatives === undefined) throw refused(glob, "expands to too many patterns");
  const patterns = alternatives.map((alternative) => namesIn(alternative, glob));
  return {
    matches: matcherOf(patterns),
    depth: Math.max(
      ...patterns.map((pattern) => (pattern.includes("**") ? Number.POSITIVE_INFINITY : pattern.length)),
    ),
    lastNames: lastNamesOf(patterns),
  };
}

/** Most globs are about names, wherever they are: those need no look at the folders. */
function matcherOf(patterns: readonly (readonly string[])[]): (path: string) => boolean {
  if (patterns.some((pattern) => pattern.length === 1 && pattern[0] === "**")) return () => true;
  const last = patterns.map((pattern) =>
    pattern.length === 2 && pattern[0] === "**" ? pattern[1] : undefined,
  );
  if (!last.every((name) => name !== undefined)) {
    // At the end, `**` matches what is in a folder, and not the folder itself.
    const parts = patterns.map((pattern) => (pattern.at(-1) === "**" ? [...pattern, "*"] : pattern));
    return (path) => {
      const names = path.split("/");
      return parts.some((pattern) => meetsAll(pattern, names, NAMES));
    };
  }
  const names = last.map(nameMatcher);
  return (path) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return names.some((matches) => matches(name));
  };
}

function nameMatcher(pattern: string): (name: string) => boolean {
  const ending = /^\*([\w.-]+)$/.exec(pattern)?.[1];
  return ending === undefined ? (name) => coversName(pattern, name) : (name) => name.endsWith(ending);
}

/** Before anything is looked at, so that what hides in an alternative is seen. */
function namesIn(alternative: string, glob: string): readonly string[] {
  if (/^\/|^[A-Za-z]:[/\\]/.test(alternative)) throw refused(glob, "is absolute");
  const names = alternative.split("/").filter((name) => name !== "" && name !== ".");
  if (names.includes("..")) throw refused(glob, "goes up");
  return names.filter((name, index) => name !== "**" || names[index - 1] !== "**");
}

function refused(glob: string, why: string): ToolFailure {
  const shown = glob.length > 100 ? `${glob.slice(0, 100)}…` : glob;
  return new ToolFailure("invalid_arguments", `The pattern ${JSON.stringify(shown)} ${why}.`, {
    hint: "Give a pattern relative to the folder, e.g. `src/**/*.ts`.",
  });
}

/** Braces without a comma are characters. */
function firstChoice(text: string): readonly string[] | undefined {
  for (let end = text.indexOf("}"); end !== -1; end = text.indexOf("}", end + 1)) {
    const start = text.lastIndexOf("{", end);
    const inner = text.slice(start + 1, end);
    if (start === -1 || inner.includes("}") || !inner.includes(",")) continue;
    return inner.split(",").map((part) => text.slice(0, start) + part + text.slice(end + 1));
  }
  return undefined;
}

const PLAIN_NAME = /^[\w.*-]+$/;

function lastNamesOf(patterns: readonly (readonly string[])[]): readonly string[] | undefined {
  const names = patterns.map((pattern) => pattern.at(-1) ?? "");
  return names.every((name) => PLAIN_NAME.test(name) && !/^\*+$/.test(name)) ? names : undefined;
}

/** How a list of names matches a pattern; `**` is any number of names. */
const NAMES = { isRun: (part: string) => part === "**", fits: coversName };

/** Whether a name matches a pattern without slashes. */
function coversName(pattern: string, name: string): boolean {
  // Greedy, with one way back: to the last `*`.
  let at = 0;
  let index = 0;
  let star = -1;
  let resume = 0;
  while (index < name.length) {
    const step = pattern[at] === "*" ? 0 : coversCharacter(pattern, at, name[index] as string);
    if (step === 0) {
      star = at;
      resume = index;
      at += 1;
    } else if (step > 0) {
      at += step;
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

/** The length of the pattern that covers the character at a position; -1 if it does not. */
function coversCharacter(pattern: string, at: number, character: string): number {
  const wanted = pattern[at];
  if (wanted === undefined) return -1;
  if (wanted === "?") return 1;
  if (wanted === "\\" && at + 1 < pattern.length) return pattern[at + 1] === character ? 2 : -1;
  const end = wanted === "[" ? pattern.indexOf("]", at + 2) : -1;
  if (end === -1) return wanted === character ? 1 : -1;
  const isNegated = pattern[at + 1] === "!" || pattern[at + 1] === "^";
  const isIn = inClass(pattern.slice(at + (isNegated ? 2 : 1), end), character);
  return isIn !== isNegated ? end - at + 1 : -1;
}

function inClass(members: string, character: string): boolean {
  for (let index = 0; index < members.length; index += 1) {
    const isRange = members[index + 1] === "-" && index + 2 < members.length;
    const [from, to] = [members[index] as string, isRange ? (members[index + 2] as string) : members[index]];
    if (character >= from && character <= (to as string)) return true;
    if (isRange) index += 2;
  }
  return false;
}
