import { expression, TYPING_PROGRAMS as table, wordsIn } from "@toolkeep/catalog/internal";

/** One program that gets a here-document as its whole input. */
export const IS_DOCUMENT = expression(table.isDocument);

export const SHELL = expression(table.shell);

export const INTERPRETER = expression(table.interpreter);

/** Consoles, editors, pagers, debuggers, terminals and other machines. */
export const ALWAYS = wordsIn(table.always);

export const DATABASE = expression(table.database);

export const GIVEN = expression(table.given);

export const QUESTION = expression(table.question);

/** Subcommands that open a console. */
export const CONSOLE = expression(table.console);

/** Options that say what `gh` edits, so that it opens no editor. */
export const EDITS = expression(table.edits);

export const HAS_CONSOLES = expression(table.hasConsoles);

/** Options with which git needs no editor for a message. */
export const WITHOUT_EDITOR = expression(table.withoutEditor);

/** Options with which git asks about each part, or opens an editor. */
export const BY_PARTS = expression(table.byParts);

/** Options of `ssh` that take the next word. */
export const SSH_VALUES = expression(table.sshValues);
