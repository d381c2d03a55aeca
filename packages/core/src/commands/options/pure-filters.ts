import { readCommand } from "@toolkeep/catalog";
import { expression, PROGRAM_KINDS } from "@toolkeep/catalog/internal";

/** What a shell alone does, or that says yes or no. `read` and `export` set nothing for others in a plain line. */
const CONTROL = expression(PROGRAM_KINDS.control);

/**
 * Whether a command does nothing but read its input and print, whatever that is: no file is named, written or run. It
 * follows from the command that feeds it, so a rule may forbid it and none has to allow it.
 */
export function isPureFilter(argv: readonly string[]): boolean {
  return readCommand(argv)?.isFilter === true;
}

/** Whether it is a builtin of the shell that only decides when the line ends. */
export function isControl(target: string): boolean {
  return CONTROL.test(target);
}
