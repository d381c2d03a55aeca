import { expression, rowsByName, REACHING_PROGRAMS as table, wordsIn } from "@toolkeep/catalog/internal";

/** Programs that stay on this machine, whatever they are given. What they run is a command of its own. */
export const LOCAL = wordsIn(table.local);

/**
 * Programs that stay here with these words alone. Without a command `env` prints the environment; what it runs is a
 * command of its own, as that of a shell.
 */
export const LOCAL_FORMS = rowsByName(table.localForms, expression);

export const LOCAL_GIT = wordsIn(table.localGit);

/** Options by which a command that stays here runs another, for those that have them. */
export const RUNNING = rowsByName(table.running, expression);

export const BRINGING = wordsIn(table.bringing);

export const FETCHING = wordsIn(table.fetching);

/** Programs that run code which is given to them, or whatever a project says. */
export const RUNNING_OTHERS = wordsIn(table.runningOthers);

/** Subcommands that take something in from outside. */
export const BRINGING_SUBCOMMANDS = rowsByName(table.bringingSubcommands, wordsIn);

/** Tools that a project has installed for itself. */
export const LOCAL_TOOLS = wordsIn(table.localTools);

/** Programs that run code of the project, in addition to these. */
export const PROJECT_RUNNERS = wordsIn(table.projectRunners);
