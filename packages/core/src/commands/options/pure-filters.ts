import { readCommand } from "@toolkeep/catalog";

/** What a shell alone does, and what says nothing but yes or no. */
const CONTROL = new RegExp(
  `^(?:${[
    "true|false|:|wait(?: (?:\\d+|'\\$!'))?|exit(?: (?:\\d+|'\\$\\?'))?|set [-+][eux]*(?:o pipefail)?|set -o pipefail",
    // In a plain line these set nothing that others look at.
    "read(?: [-a-z0-9]+)+|export(?: '?[A-Z_]+=[^' ]*'?)+",
  ].join("|")})$`,
);

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
