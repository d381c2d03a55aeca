import type { SimpleCommand } from "@toolkeep/core/ports";
import { type Budget, entriesOf, kindAt } from "./entries.ts";
import { namePattern } from "./name-pattern.ts";

const WILD = /[*?[]/;

/**
 * The args as the program gets them: patterns become the files that they match, as bash does by default, and stay as
 * they are if nothing matches. `**` is expanded as in shells that search all folders for it.
 */
export function expandedArgs(
  { argv, expands = [] }: SimpleCommand,
  folder: string,
  budget: Budget,
): readonly string[] {
  if (expands.length === 0) return argv;
  return argv.flatMap((word, index) => {
    if (!expands.includes(index)) return [word];
    return bracesOf(word).flatMap((one) => {
      const found = WILD.test(one) ? matchesOf(one, folder, budget) : [one];
      return found.length === 0 ? [one] : found;
    });
  });
}

const BRACES = /\{([^{}]*,[^{}]*)\}/;
const MOST_BRACES = 64;

function bracesOf(word: string): readonly string[] {
  let words = [word];
  while (words.length < MOST_BRACES && words.some((one) => BRACES.test(one)))
    words = words.flatMap((one) => {
      const [whole, inner = ""] = BRACES.exec(one) ?? [];
      return whole === undefined ? [one] : inner.split(",").map((part) => one.replace(whole, () => part));
    });
  return words;
}

/** The paths that a pattern matches, as args: relative if the pattern is. */
function matchesOf(pattern: string, folder: string, budget: Budget): readonly string[] {
  const isAbsolute = pattern.startsWith("/");
  let found = [isAbsolute ? "/" : ""];
  for (const name of pattern.split("/").filter((part) => part !== "")) {
    const base = (word: string) => (isAbsolute ? word : `${folder}/${word}`);
    found = found.flatMap((word) => {
      if (name === "**") return [word, ...allBeneath(word, base, budget)];
      if (!WILD.test(name)) return [`${word}${name}/`];
      const fits = namePattern(name);
      return entriesOf(base(word), budget)
        .filter((entry) => fits(entry.name))
        .map((entry) => `${word}${entry.name}/`);
    });
  }
  return found
    .map((word) => (word.length > 1 ? word.replace(/\/$/, "") : word))
    .filter((word) => word !== "" && kindAt(isAbsolute ? word : `${folder}/${word}`) !== undefined);
}

/** All that is not hidden; folders are looked through, and links only named. */
function allBeneath(word: string, base: (word: string) => string, budget: Budget): readonly string[] {
  return entriesOf(base(word), budget)
    .filter((entry) => !entry.name.startsWith("."))
    .flatMap((entry) => {
      const path = `${word}${entry.name}/`;
      return entry.isDirectory() ? [path, ...allBeneath(path, base, budget)] : [path];
    });
}
