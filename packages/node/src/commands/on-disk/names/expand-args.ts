import { resolve } from "node:path";
import { isProtectedName } from "@toolkeep/core/internal";
import type { SimpleCommand } from "@toolkeep/core/ports";
import { type Budget, entriesOf, kindAt, realOf } from "../../../files/entries.ts";
import { namePattern } from "../../../git/name-pattern.ts";
import { absolute } from "./moved-folder.ts";

const WILD = /[*?[]/;

/**
 * The args as the program gets them: patterns become the files that they match, as bash does by default, and stay as
 * they are if nothing matches. `**` is expanded as in shells that search all folders for it.
 */
export function expandedArgs(
  { argv, expands = [] }: SimpleCommand,
  folder: string,
  whole: Budget,
): readonly string[] {
  const look = { folder, budget: whole.expanding ?? whole, hidden: false };
  if (expands.length === 0) return argv;
  return argv.flatMap((arg, index) => {
    if (!expands.includes(index)) return [arg];
    return bracesOf(arg).flatMap((one) => {
      const found = WILD.test(one) ? matchesOf(one, look) : [one];
      return found.length === 0 ? [one] : found;
    });
  });
}

/**
 * The command with those matches of its patterns, in place of these, that the patterns do not tell: what lies behind a
 * link, protected names, and names with a dot at the beginning, which some shells are set up to find. `undefined` where
 * there are none.
 */
export function withStrayArgs(
  command: SimpleCommand,
  folder: string,
  whole: Budget,
): SimpleCommand | undefined {
  const { argv, expands = [] } = command;
  const look = { folder, budget: whole.expanding ?? whole, hidden: true };
  const shown = new Set(expandedArgs(command, folder, whole));
  const isStray = (arg: string) => {
    const path = resolve(folder, arg);
    return !shown.has(arg) || realOf(path) !== path || isProtectedName(path);
  };
  const args = argv.map((arg, index) =>
    expands.includes(index) ? bracesOf(arg).flatMap((one) => matchesOf(one, look).filter(isStray)) : arg,
  );
  const count = args.filter((arg) => typeof arg !== "string").flat().length;
  if (count === 0) return undefined;
  return count > MOST_STRAY || command.reading !== undefined ? command : { argv: args.flat(), redirects: [] };
}

const MOST_STRAY = 64;

const BRACES = /\{([^{}]*,[^{}]*)\}/;
const MOST_BRACES = 64;

function bracesOf(arg: string): readonly string[] {
  let args = [arg];
  while (args.length < MOST_BRACES && args.some((one) => BRACES.test(one)))
    args = args.flatMap((one) => {
      const [whole, inner = ""] = BRACES.exec(one) ?? [];
      return whole === undefined ? [one] : inner.split(",").map((part) => one.replace(whole, () => part));
    });
  return args;
}

interface Look {
  readonly folder: string;
  readonly budget: Budget;
  /** Names that begin with a dot are found by any pattern. */
  readonly hidden: boolean;
}

/** The paths that a pattern matches, as args: relative if the pattern is. */
function matchesOf(pattern: string, { folder, budget, hidden }: Look): readonly string[] {
  const isAbsolute = pattern.startsWith("/");
  let found = [isAbsolute ? "/" : ""];
  for (const name of pattern.split("/").filter((part) => part !== "")) {
    const base = (arg: string) => absolute(arg, folder);
    found = found.flatMap((arg) => {
      if (name === "**") return [arg, ...allBeneath(arg, base, budget)];
      if (!WILD.test(name)) return [`${arg}${name}/`];
      const fits = namePattern(name, hidden);
      return entriesOf(base(arg), budget)
        .filter((entry) => fits(entry.name))
        .map((entry) => `${arg}${entry.name}/`);
    });
  }
  return found
    .map((arg) => (arg.length > 1 ? arg.replace(/\/$/, "") : arg))
    .filter((arg) => arg !== "" && kindAt(absolute(arg, folder)) !== undefined);
}

/** All that is not hidden; folders are looked through, and links only named. */
function allBeneath(arg: string, base: (arg: string) => string, budget: Budget): readonly string[] {
  return entriesOf(base(arg), budget)
    .filter((entry) => !entry.name.startsWith("."))
    .flatMap((entry) => {
      const path = `${arg}${entry.name}/`;
      return entry.isDirectory() ? [path, ...allBeneath(path, base, budget)] : [path];
    });
}
