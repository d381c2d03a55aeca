import { bareName } from "../forms/command-forms.ts";
import { takeApart } from "./command-operands.ts";
import { CODE_RUNNERS, HOOK_PATH, LISTERS, READERS, SEARCHERS } from "./reading-programs.ts";
import { SORT_OPTIONS } from "./write-effects.ts";

/** Whether a command runs code: that of the folder it runs in, or what it is given. */
export function runsCode([name = ""]: readonly string[]): boolean {
  return CODE_RUNNERS.has(bareName(name)) || HOOK_PATH.test(name);
}

const GIVEN_BY_OPTION = /^-[^-]*[ef]|^--(?:reg|fil|exp)/;

/** What ripgrep, or a command of git, is told to leave out. */
const LEFT_OUT: Readonly<Record<string, RegExp>> = { rg: /^!/, git: /^:!/ };

/** Options whose value is no file. */
const COUNTED = "-n -c --lines --bytes";
const VALUED: Readonly<Record<string, string>> = {
  sort: SORT_OPTIONS,
  head: COUNTED,
  tail: `${COUNTED} -s --sleep-interval --pid`,
};

/** What a command reads among the files it is given, as far as its words say. */
export interface Reads {
  /** In the folder it runs in. */
  readonly inside: readonly string[];
  /** Absolute paths, and those that climb. */
  readonly outside: readonly string[];
}

const NOTHING: Reads = Object.freeze({ inside: [], outside: [] });

export function readsOf(argv: readonly string[]): Reads {
  const [name = "", ...words] = argv;
  const bare = bareName(name);
  const leftOut = Object.hasOwn(LEFT_OUT, bare) ? LEFT_OUT[bare] : undefined;
  const valued = Object.hasOwn(VALUED, bare) ? VALUED[bare] : undefined;
  const given = valued === undefined ? words : takeApart(words, valued).operands;
  const isOperand = (word: string) =>
    !word.startsWith("-") && word !== "/dev/null" && leftOut?.test(word) !== true;
  const operands = given.filter(isOperand);
  const outside = operands.filter(leadsOutside);
  if (READERS.has(bare)) return { inside: insideOf(operands), outside };
  // What lies in a repository is git's own to show; what leads out of it is read all the same.
  if (LISTERS.has(bare) || bare === "git") return { inside: [], outside };
  if (bare === "dd") return ofDd(words);
  if (CODE_RUNNERS.has(bare)) return { inside: [], outside: words.map(withoutOption).filter(leadsOutside) };
  if (!SEARCHERS.has(bare)) return NOTHING;
  const isGiven = words.some((word) => GIVEN_BY_OPTION.test(word));
  const files = isGiven ? withoutExpressions(words, bare).filter(isOperand) : operands.slice(1);
  return { inside: insideOf(files), outside: files.filter(leadsOutside) };
}

/** Options without a value, which may stand before `-e` in one word. */
const FLAGS: Readonly<Record<string, string>> = { sed: "nErsuz", grep: "cEFHhinoqrsvwxz", rg: "cFHinosvwxz" };

/** Without what `-e` is given, up to the first option that may take a value of its own. */
function withoutExpressions(words: readonly string[], program: string): readonly string[] {
  const flags = FLAGS[program.replace(/^[ef]grep$/, "grep")];
  if (flags === undefined) return words;
  const isExpression = new RegExp(`^(?:-[${flags}]*e|--expression|--regexp)$`);
  const isFlag = new RegExp(`^-[${flags}]+$`);
  const kept: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as string;
    if (isExpression.test(word)) at += 1;
    else if (word.startsWith("-") && !isFlag.test(word)) return [...kept, ...words.slice(at)];
    else kept.push(word);
  }
  return kept;
}

/**
 * Where a pattern stands for files: the pattern, if it says something of their names; else the folder they
 * lie in, because a shell's `*` does not mean what begins with a dot.
 */
function insideOf(paths: readonly string[]): readonly string[] {
  return paths
    .filter((path) => !leadsOutside(path))
    .map((path) => {
      if (!WILD.test(path)) return path;
      if (!/(?:^|\/)[*?[{]/.test(path)) return withoutClasses(path);
      return path.slice(0, path.slice(0, path.search(WILD)).lastIndexOf("/") + 1);
    })
    .map((path) => path.replace(/(?<!\/)\/+$/, ""))
    .filter((path) => path !== "" && path !== ".");
}

const WILD = /[*?[{]/;

/** `[ab]` as `?`. Behind the last `]` none can close, and looking for its end would take long. */
function withoutClasses(path: string): string {
  const end = path.lastIndexOf("]") + 1;
  return path.slice(0, end).replaceAll(/\[[^\]]*\]/g, "?") + path.slice(end);
}

/** The value that stands in the same word as its option. */
function withoutOption(word: string): string {
  return word.startsWith("-") ? word.replace(/^--?[\w.-]*?(?:=|(?=\/|\.\.\/))/, "") : word;
}

function ofDd(words: readonly string[]): Reads {
  const files = words.filter((word) => word.startsWith("if=")).map((word) => word.slice(3));
  return { inside: insideOf(files), outside: files.filter(leadsOutside) };
}

/** `.[.]` and `.?` may be `..` to a shell. */
function leadsOutside(path: string): boolean {
  return path.startsWith("/") || /(?:^|\/)(?:\.\.|\.[^/]*[*?[{][^/]*)(?:\/|$)/.test(path);
}
