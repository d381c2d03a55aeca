import type { Reading } from "@toolkeep/catalog";
import { bareName } from "../forms/command-forms.ts";
import { runsCode } from "./code-runners.ts";

/** What a command reads among the files it is given, as far as its words say. */
export interface Reads {
  /** In the folder it runs in. */
  readonly inside: readonly string[];
  /** Absolute paths, and those that climb. */
  readonly outside: readonly string[];
}

/** The files that the catalogue says a command reads. Of what it only lists, those elsewhere count. */
export function readsOf(argv: readonly string[], known: Reading | undefined): Reads {
  const reads = (known?.reads ?? []).filter((path) => path !== "/dev/null");
  const named = [...reads, ...(known?.lists ?? []), ...wordsElsewhere(argv)];
  return {
    inside: [...new Set(insideOf(reads))],
    outside: [...new Set(named.filter(leadsOutside))],
  };
}

/** What lies in a repository is git's own to show; what leads out of it is read all the same. */
function wordsElsewhere(argv: readonly string[]): readonly string[] {
  const words = argv.slice(1);
  if (bareName(argv[0] ?? "") === "git") return words.filter((word) => !/^(?:-|:!|\/dev\/null$)/.test(word));
  return runsCode(argv) ? words.map(withoutOption) : [];
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

/** `.[.]` and `.?` may be `..` to a shell. */
function leadsOutside(path: string): boolean {
  return path.startsWith("/") || /(?:^|\/)(?:\.\.|\.[^/]*[*?[{][^/]*)(?:\/|$)/.test(path);
}
