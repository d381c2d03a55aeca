import { FILTERS, type Filter } from "./filters.ts";
import { isHarmlessAwkProgram, isHarmlessJqFilter } from "./harmless-operands.ts";
import { isHarmlessSedScript } from "./sed-script.ts";

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
  const [name = "", ...words] = argv;
  const filter = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
  if (filter === undefined) return false;
  const operands: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (!word.startsWith("-")) operands.push(word);
    else if (filter.valued?.test(word) === true && !/^-/.test(words[at + 1] ?? "-")) at += 1;
    else if (!filter.options.test(word)) return false;
  }
  return OPERANDS[filter.operands](operands);
}

const one = (check: (operand: string) => boolean) => (operands: readonly string[]) =>
  operands.length === 1 && check(operands[0] ?? "");

const OPERANDS: Readonly<Record<Filter["operands"], (operands: readonly string[]) => boolean>> = {
  none: (operands) => operands.length === 0,
  // A pattern for the shell may become more operands.
  pattern: one((pattern) => pattern !== ""),
  awk: one(isHarmlessAwkProgram),
  sed: one(isHarmlessSedScript),
  jq: one(isHarmlessJqFilter),
  sets: (sets) => sets.length > 0 && sets.length <= 2,
  nowhere: (files) => files.every((file) => file === "/dev/null"),
};

/** Whether it is a builtin of the shell that only decides when the line ends. */
export function isControl(target: string): boolean {
  return CONTROL.test(target);
}
