/**
 * Attacks that need a part which is not built yet, each with what is missing. Of those that have a
 * check all the same, the rest is shown.
 */
export const PLANNED: Readonly<Record<string, string>> = {
  D015: "the sandbox sets the search path of a command",
  D018: "the port that knows how the names on a volume are written",
  D026: "a sandbox that is not there refuses the command itself",
  K001: "the sandbox passes on the variables that are listed and no others",
  K002: "the sandbox passes on the variables that are listed and no others",
  K007: "the search tool itself leaves out files with secrets",
  U016: "results are escaped for a screen, and the bytes kept aside",
  U018: "results are escaped before a model reads them",
};

/** Of these nothing can be shown before the part is there. */
export const UNSHOWN: ReadonlySet<string> = new Set(["D015", "U018"]);
