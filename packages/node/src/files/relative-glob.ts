import { ToolFailure } from "@toolkeep/core";
import { coversName, coversNames, mayLeadTo } from "./cover-names.ts";

/** A glob that can lead nowhere but beneath the folder it is held against. */
export interface RelativeGlob {
  /** Holds for a path relative to the folder. */
  matches(path: string): boolean;
  /** Whether anything in a folder could match, by its path relative to the other folder. */
  mayLeadTo(folder: string): boolean;
  /** How many folders deep a match can lie at most, counting its own name. */
  readonly depth: number;
  /** What the last name of a match looks like, where that narrows anything. Plain enough for any other matcher. */
  readonly lastNames: readonly string[] | undefined;
}

/** Matches whatever there is. */
export const EVERY_PATH: RelativeGlob = Object.freeze({
  matches: () => true,
  mayLeadTo: () => true,
  depth: Number.POSITIVE_INFINITY,
  lastNames: undefined,
});

const LONGEST_GLOB = 1_024;
const MOST_ALTERNATIVES = 256;

/**
 * Compiles a glob: `*` and `?` within a name, `**` for any number of folders, `[a-z]`, `{a,b}`, and `\`
 * before what is meant literally. Matching takes time linear in the glob times the path.
 * @throws ToolFailure `invalid_arguments` for one that is absolute, goes up, or stands for too much.
 */
export function relativeGlob(glob: string): RelativeGlob {
  if (glob === "" || glob.includes("\0") || glob.length > LONGEST_GLOB) throw refused(glob, "cannot be used");
  const alternatives = alternativesOf(glob);
  if (alternatives === undefined) throw refused(glob, "stands for too many patterns");
  const patterns = alternatives.map((alternative) => namesIn(alternative, glob));
  return {
    matches: matcherOf(patterns),
    mayLeadTo(folder) {
      const names = folder.split("/");
      return patterns.some((pattern) => mayLeadTo(pattern, names));
    },
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
    return (path) => {
      const names = path.split("/");
      return patterns.some((pattern) => coversNames(pattern, names));
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

/** Without its braces; `undefined` where they are too many. Those without a comma are characters. */
function alternativesOf(glob: string): readonly string[] | undefined {
  let open: readonly string[] = [glob];
  const done: string[] = [];
  while (open.length > 0) {
    const next: string[] = [];
    for (const one of open) {
      const choice = firstChoice(one);
      if (choice === undefined) done.push(one);
      else next.push(...choice);
      if (next.length + done.length > MOST_ALTERNATIVES) return undefined;
    }
    open = next;
  }
  return done;
}

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
