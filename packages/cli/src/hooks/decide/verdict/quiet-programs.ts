import { expression, expressionsIn, QUIET_PROGRAMS as table, wordsIn } from "@toolkeep/catalog/internal";

/**
 * Programs that a client may run without a question because it knows some of their forms to only read. What a form of
 * them asks about is asked by us, because it is not known whether the client does.
 */
export const MAYBE_QUIET = wordsIn(table.maybeQuiet);

/** Programs of which only these first words may be run without a question. */
export const QUIET_FORMS = table.quietForms.map(expressionsIn);

/** Programs that start another one. A client may look at them alone, and effects have only the other. */
export const WRAPPED = expression(table.wrapped);

/** Programs that change files, which a client may run without a question where it accepts edits. */
export const FILE_PROGRAMS = wordsIn(table.filePrograms);
