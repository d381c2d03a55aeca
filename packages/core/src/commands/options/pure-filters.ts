import { isHarmlessAwkProgram, isHarmlessJqFilter } from "./harmless-operands.ts";
import { isHarmlessSedScript } from "./sed-script.ts";

/** A program that reads its input and prints, as long as it is given no more than this. */
interface Filter {
  /** Whole options without a value, or with it in the same word. */
  readonly options: RegExp;
  /** Options whose value is the next word. */
  readonly valued?: RegExp;
  readonly operands: (operands: readonly string[]) => boolean;
}

const none = (operands: readonly string[]) => operands.length === 0;
const one = (check: (operand: string) => boolean) => (operands: readonly string[]) =>
  operands.length === 1 && check(operands[0] ?? "");

const LINES: Filter = {
  options: /^-(?:\d+|[nc]?[-+]?\d+[bkKMG]?|[qvz]+)$|^--(?:lines|bytes)=[-+]?\d+$/,
  valued: /^-[nc]$/,
  operands: none,
};
const GREP: Filter = {
  options:
    /^-(?:[abcEFGhHiIlLnoPqsTvwxyz]+|[mABC]?\d+)$|^--(?:colou?r=\w+|line-buffered|count|ignore-case|invert-match)$/,
  valued: /^-[a-zA-Z]*[mABC]$/,
  // A pattern for the shell may become more operands.
  operands: one((pattern) => pattern !== ""),
};
const AWK: Filter = { options: /^-F.$/s, valued: /^-F$/, operands: one(isHarmlessAwkProgram) };
const SUMS: Filter = { options: /^$/, operands: none };

const FILTERS: Readonly<Record<string, Filter>> = {
  cat: { options: /^-[AbeEnstTuv]+$/, operands: none },
  head: LINES,
  tail: LINES,
  wc: { options: /^-[clLmw]+$|^--(?:bytes|chars|lines|words)$/, operands: none },
  sort: {
    options:
      /^-(?:[bdfgiMhnRrVcCsuz]+|k[\d.,bdfginrMhRV]+|t.)$|^--(?:reverse|unique|numeric-sort|version-sort)$/s,
    valued: /^-[kt]$/,
    operands: none,
  },
  uniq: { options: /^-[cdDiuz]+$|^--(?:count|repeated|unique|ignore-case)$/, operands: none },
  cut: {
    options: /^-(?:[bcf][\d,-]+|d.|s|z)$|^--(?:delimiter|fields|characters|bytes)=.+$|^--complement$/s,
    valued: /^-[bcdf]$/,
    operands: none,
  },
  tr: {
    options: /^-[cCdst]+$/,
    operands: (sets) => sets.length > 0 && sets.length <= 2,
  },
  nl: { options: /^-[bw].+$/, operands: none },
  tac: { options: /^$/, operands: none },
  rev: { options: /^$/, operands: none },
  column: { options: /^-(?:t|s.)$/s, valued: /^-s$/, operands: none },
  fold: { options: /^-(?:s|w\d+)$/, valued: /^-w$/, operands: none },
  md5sum: SUMS,
  sha1sum: SUMS,
  sha256sum: SUMS,
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  sed: { options: /^-[nErsuz]+$/, operands: one(isHarmlessSedScript) },
  awk: AWK,
  gawk: AWK,
  mawk: AWK,
  jq: { options: /^-[ceSsrjMCan]+$|^--tab$/, operands: one(isHarmlessJqFilter) },
  tee: { options: /^-[ai]+$/, operands: (files) => files.every((file) => file === "/dev/null") },
};

/** What a shell alone does, and what says nothing but yes or no. */
const CONTROL =
  /^(?:true|false|:|wait(?: (?:\d+|'\$!'))?|exit(?: (?:\d+|'\$\?'))?|set [-+][eux]*(?:o pipefail)?|set -o pipefail)$/;

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
  return filter.operands(operands);
}

/** Whether it is a builtin of the shell that only decides when the line ends. */
export function isControl(target: string): boolean {
  return CONTROL.test(target);
}
