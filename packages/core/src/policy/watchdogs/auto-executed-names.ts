import { BUILDS_AND_PIPELINES } from "./auto-executed/builds-and-pipelines.ts";
import { EDITORS_AND_AGENTS } from "./auto-executed/editors-and-agents.ts";
import { SHELLS_AND_INTERPRETERS } from "./auto-executed/shells-and-interpreters.ts";
import { VERSION_CONTROL } from "./auto-executed/version-control.ts";

/**
 * A name that makes a program execute something when the user runs that program for another reason: to enter a
 * folder, to look at a status, to open an editor, to ask for a version. What is executed only by the user who
 * means to (a build file, a script, a test) is not among them.
 */
export interface AutoExecutedName {
  /**
   * In small letters. `a`: that name, anywhere. `a/`: a folder and all in it. `a/b`: names in a row. A star stands
   * for letters of one name.
   */
  readonly name: string;
  /** The programs that obey it. */
  readonly by: string;
  /** What they execute. */
  readonly runs: string;
  /** Where that is written, or with which version it was seen. */
  readonly source: string;
}

/** One line for each kind, its names divided by blanks, its columns by bars. */
function rowsOf(table: string): readonly AutoExecutedName[] {
  return table
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [names = "", by = "", runs = "", source = ""] = line.split("|").map((cell) => cell.trim());
      return names.split(" ").map((name) => Object.freeze({ name, by, runs, source }));
    });
}

/** All of them. The watchdog for protected names and the sandbox both read this one table. */
export const AUTO_EXECUTED: readonly AutoExecutedName[] = Object.freeze(
  [VERSION_CONTROL, EDITORS_AND_AGENTS, SHELLS_AND_INTERPRETERS, BUILDS_AND_PIPELINES].flatMap(rowsOf),
);
