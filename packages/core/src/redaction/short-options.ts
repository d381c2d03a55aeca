import { expression, PASSWORD_OPTIONS as table } from "@toolkeep/catalog/internal";
import { isWordForPassword } from "./likely-secret.ts";

/** How the password of an option is written: right behind its letter, as the next argument, or as `name:password` in either. */
export type ShortForm = "attached" | "next" | "pair";

/** The letters of options that a password may stand behind. */
export const PASSWORD_LETTERS = "pPauUw";

const START = String.raw`(?:^|[\s/"'\\])`;
const END = String.raw`(?:\.exe)?["']?[\s,]`;
const program = (names: string) => new RegExp(`${START}(?:${names})${END}`);

/** Programs with an option of one letter for a password. */
const SHORT_OPTIONS = table.shortOptions.map(
  ({ programs, letter, form }) => [program(programs), letter, form as ShortForm] as const,
);

/** Programs that take the name of another one as their argument, and start none. */
const NO_STARTER = expression(table.noStarter);

/** The forms of a password that may stand behind an option of one letter, after what was written of the command so far. */
export function passwordForms(command: string, letter: string): readonly ShortForm[] {
  const known = SHORT_OPTIONS.filter(([starts, of]) => of === letter && starts.test(command));
  return known.length === 0 || NO_STARTER.test(command) ? [] : known.map(([, , form]) => form);
}

/** What the names of these programs begin with; of those that sign in, the word for it. */
export const PROGRAM_WORDS: readonly string[] = table.programWords.split(" ");

/** Options for `name:password` that are written out. */
export const PAIR_OPTION = /^--(?:proxy-)?user$/;

const CURL = program("curl");

export function hasPairOption(command: string): boolean {
  return CURL.test(command) && !NO_STARTER.test(command);
}

/** `name:password`; of a user and a group in numbers, and of variables, nothing is secret. */
const PAIR = /^[^:%]{1,100}[:%](?!\d{1,5}$|[$<{[*%]).{3}/;

/** Where the password of `name:password` begins; -1 where there is none. */
export function pairStart(value: string): number {
  const start = value.search(/[:%]/) + 1;
  return PAIR.test(value) && !isWordForPassword(value.slice(start)) ? start : -1;
}

/** Neither a variable nor a port, nor a path. */
export function isShortPassword(value: string): boolean {
  return !/^[$<{[*-]|^\d{1,5}$|:\d|\//.test(value) && !isWordForPassword(value);
}
