/** Programs that show the names that they are given, and look at no file. */
export const SHOWING: ReadonlySet<string> = new Set(["echo", "basename", "dirname"]);

/** Programs that read the files that they are given, and have no option to write one or to run something. */
export const READING_FILES: ReadonlySet<string> = new Set(
  "cat head tail wc nl tac grep egrep fgrep md5sum sha1sum sha256sum".split(" "),
);

/** Commands that print some of the lines that they are fed, as these are. */
export const SELECTING =
  /^(?:sort(?: -[bdfghinruVz]+)*|uniq(?: -[diuz]+)*|(?:head|tail)(?: -z| -\d+| -n ?-?\d+)*|[ef]?grep(?: -[EFGPivwxz]+)* (?!-)[^ ]+)$/;

/** What `find` does with names besides printing them, and where it follows links. */
export const FOUND_OTHERWISE = /^-(?:exec|ok|delete|fprint|fls|ls|printf|L|H|follow|files0)/;

export const TRACKED = /^(?:-z|-m|-c|--modified|--cached|--)$/;

/** Flags of searches, and options with which these still print names alone. */
export const SEARCH_FLAGS = /^-[EFHIPRailnrswx0]+$/;
export const SEARCH_OPTIONS = /^-[gt]$|^--(?:include|exclude|exclude-dir|glob|type)(?:=|$)|^--hidden$/;
