import { expression, TREE_READING_PROGRAMS as table, wordsIn } from "@toolkeep/catalog/internal";

/** What these name is changed, and nothing of its content is shown or copied. */
export const SHOWS_NOTHING = wordsIn(table.showsNothing);

export const QUIET_GIT = wordsIn(table.quietGit);

/** Programs that read all that is in a folder. */
export const TREE_PROGRAMS = wordsIn(table.treePrograms);

/** Programs that search where they are if they are given no path. */
export const SEARCHING = wordsIn(table.searching);

/** Commands of git that show what files hold, and the options that decide about it. */
export const SHOWING_GIT = wordsIn(table.showingGit);

export const PATCH = expression(table.patch);

export const ONLY_NAMES = expression(table.onlyNames);

/** Programs that read trees, in a line that could not be taken apart. */
export const TREES_IN_LINE = expression(table.treesInLine);
