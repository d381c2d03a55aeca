import {
  expression,
  expressionsIn,
  rowsByName,
  PROJECT_TOOLS as table,
  wordsIn,
} from "@toolkeep/catalog/internal";

/*
 * Programs that check, test, build, format or serve the project they are started in. Their options are in their entries
 * of the catalogue; an option that is not there, and a subcommand that is not here, asks.
 */

/** By name, with the subcommands that are meant; without any it takes files and names. */
export const PROJECT_TOOLS: Readonly<Record<string, string>> = table.projectTools;

/** What follows the subcommand of these has names of its own. */
export const NARROWED = rowsByName(table.narrowed, expression);

/** Every operand of these is a goal. */
export const GOALS = rowsByName(table.goals, expression);

/** Each operand of these is the name of a task. */
export const TASK_RUNNERS = wordsIn(table.taskRunners);

/** Where builds put what they make, from the root of the project. */
export const BUILT = expression(table.built);

/**
 * Options whose values are looked at: what is written, which is where builds put it or what tests and profilers record by
 * names that nothing else has, and what is handed to a linker.
 */
export const CHECKED_OPTIONS: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = rowsByName(
  table.checkedOptions,
  expressionsIn,
);

/** Options after which these work in another folder. */
export const FOLDER_OPTIONS: Readonly<Record<string, string>> = table.folderOptions;

/** They hand what follows a `--` to the program of the project. */
export const HANDING_ON = wordsIn(table.handingOn);

/** Scripts that package managers start without `run`; under any other name some of them start a program. */
export const SCRIPT_NAMES = expression(table.scriptNames);

/** How package managers choose packages of the workspace: with a value in the next word, and without. */
export const CHOOSING_PACKAGES = rowsByName(table.choosingPackages, expressionsIn);

/** Programs that start the one that is named after them. */
export const LAUNCHERS: Readonly<Record<string, string>> = table.launchers;

/** Programs that run a command as it is, and say more of it. */
export const OBSERVERS: ReadonlySet<string> = new Set(table.observers);

/** What an interpreter takes before the file that it runs, and how such files end. */
export const INTERPRETERS = table.interpreters.map(expressionsIn);
export type Interpreter = (typeof INTERPRETERS)[number];

/** Words by which a script says that it reaches further than the project. */
export const FURTHER = expression(table.further);

/** Handed to a program, they may be what it runs. */
export const COMMAND_WORDS = wordsIn(table.commandWords);

/** Options by which programs are told what to run, or what to load first. */
export const CODE_OPTIONS = expression(table.codeOptions);
