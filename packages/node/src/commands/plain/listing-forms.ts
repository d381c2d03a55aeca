import { expression, LISTING_FORMS as table, wordsIn } from "@toolkeep/catalog/internal";

/** Programs that show the names that they are given, and look at no file. */
export const SHOWING = wordsIn(table.showing);

/** Programs that show names, sizes and times of the files that they are given, whatever their options. */
export const LOOKING_AT_FILES = wordsIn(table.lookingAtFiles);

/** Programs that read the files that they are given, and have no option to write one or to run something. */
export const READING_FILES = wordsIn(table.readingFiles);

/** Commands that print some of the lines that they are fed, as these are. */
export const SELECTING = expression(table.selecting);

/** What `find` does with names besides printing them, and where it follows links. */
export const FOUND_OTHERWISE = expression(table.foundOtherwise);

export const TRACKED = expression(table.tracked);

/** Flags of searches, and options with which these still print names alone. */
export const SEARCH_FLAGS = expression(table.searchFlags);
export const SEARCH_OPTIONS = expression(table.searchOptions);
