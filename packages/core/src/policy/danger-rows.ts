import { expression, DANGER_ROWS as table } from "@toolkeep/catalog/internal";

const SAYS: Readonly<Record<string, string>> = table.says;

/** Commands that run code of the project. A program that knows whether the project is trusted says more. */
export const RUNS_OWN_CODE = table.says.ownCode;

/** With nothing but this, no program does anything else. */
export const ABOUT_ITSELF = expression(table.aboutItself);

/**
 * Programs, what the words after them begin with, and what to say where that is more than the catalogue says. The first
 * row that matches counts.
 */
export const DANGER_ROWS = table.rows.map(
  ({ programs, words, says }) => [programs, expression(words), SAYS[says] ?? says] as const,
);
