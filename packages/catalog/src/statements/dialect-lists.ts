/** Each is a text with spaces in the data. `dialects.json` has `common` for what all kinds of SQL have. */
export const LISTS = [
  /** The first words of statements that read, of those about another statement, and of the ones that these may be about. */
  "queries",
  "shows",
  "explains",
  "changing",
  "transactions",
  /** Settings that may be set, pragmas that look, and pragmas that look as long as nothing is set. */
  "sets",
  "pragmas",
  "settings",
  /** Harmless functions, those that write, those that read the file they are given, and words that are no functions. */
  "functions",
  "writes",
  "files",
  "keywords",
  /** Where functions may be said to be. */
  "schemas",
  /** Words that no query has, two of them with `+`, and those of them that may be in a change. */
  "forbids",
  "permits",
  /** Names that nothing may have, tables with secrets, and values that have names. */
  "names",
  "secrets",
  "literals",
  /** Of a tree of the parser: nodes that a query may have, and those besides of what is only explained. */
  "nodes",
  "explained",
] as const;
