/**
 * Arguments of Node for a program that runs from our sources. What it compiles is kept for the next one: a program that
 * loads all of our packages starts in a third of the time, and tests start hundreds.
 */
export const FROM_SOURCE = [
  "--conditions=@toolkeep/source",
  `--import=${import.meta.resolve("./keep-compiled.ts")}`,
] as const;
