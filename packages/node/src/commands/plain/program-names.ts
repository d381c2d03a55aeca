import {
  expression,
  expressionsIn,
  rowsByName,
  PROGRAM_NAMES as table,
  wordsIn,
} from "@toolkeep/catalog/internal";

/** Letters of the options that take code, by the program. */
export const CODE_LETTERS = table.codeLetters.map(expressionsIn);

export const LONG_OPTIONS = expression(table.longOptions);

export const QUESTIONS = expression(table.questions);

/** Programs that only read what they are fed. */
export const READING = wordsIn(table.reading);

export const READING_SUBCOMMANDS = expression(table.readingSubcommands);

/** Builtins that change where or what the rest runs, or that evaluate what they are given. */
export const CHANGING = wordsIn(table.changing);

/**
 * What some of these do that changes nothing: where a program is, an end at the first error, the end of others. What a
 * virtual environment of Python adds to the search path is looked up on the disk.
 */
export const UNCHANGING = rowsByName(table.unchanging, expression);
