/** A program that reads its input and prints, as long as it is given no more than this. */
export interface Filter {
  /** Whole options without a value, or with it in the same word. */
  readonly options: RegExp;
  /** Options whose value is the next word. */
  readonly valued?: RegExp;
  readonly operands: "none" | "pattern" | "awk" | "sed" | "jq" | "sets" | "nowhere";
}

const LINES: Filter = {
  options: /^-(?:\d+|[nc]?[-+]?\d+[bkKMG]?|[qvz]+)$|^--(?:lines|bytes)=[-+]?\d+$/,
  valued: /^-[nc]$/,
  operands: "none",
};
const GREP: Filter = {
  options:
    /^-(?:[abcEFGhHiIlLnoPqsTvwxyz]+|[mABC]?\d+)$|^--(?:colou?r=\w+|line-buffered|count|ignore-case|invert-match)$/,
  valued: /^-[a-zA-Z]*[mABC]$/,
  operands: "pattern",
};
const AWK: Filter = { options: /^-F.$/s, valued: /^-F$/, operands: "awk" };
const SUMS: Filter = { options: /^$/, operands: "none" };

export const FILTERS: Readonly<Record<string, Filter>> = {
  cat: { options: /^-[AbeEnstTuv]+$/, operands: "none" },
  head: LINES,
  tail: LINES,
  wc: { options: /^-[clLmw]+$|^--(?:bytes|chars|lines|words)$/, operands: "none" },
  sort: {
    options:
      /^-(?:[bdfgiMhnRrVcCsuz]+|k[\d.,bdfginrMhRV]+|t.)$|^--(?:reverse|unique|numeric-sort|version-sort)$/s,
    valued: /^-[kt]$/,
    operands: "none",
  },
  uniq: { options: /^-[cdDiuz]+$|^--(?:count|repeated|unique|ignore-case)$/, operands: "none" },
  cut: {
    options: /^-(?:[bcf][\d,-]+|d.|s|z)$|^--(?:delimiter|fields|characters|bytes)=.+$|^--complement$/s,
    valued: /^-[bcdf]$/,
    operands: "none",
  },
  tr: { options: /^-[cCdst]+$/, operands: "sets" },
  nl: { options: /^-[bw].+$/, operands: "none" },
  tac: SUMS,
  rev: SUMS,
  column: { options: /^-(?:t|s.)$/s, valued: /^-s$/, operands: "none" },
  fold: { options: /^-(?:s|w\d+)$/, valued: /^-w$/, operands: "none" },
  md5sum: SUMS,
  sha1sum: SUMS,
  sha256sum: SUMS,
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  sed: { options: /^-[nErsuz]+$/, operands: "sed" },
  awk: AWK,
  gawk: AWK,
  mawk: AWK,
  jq: { options: /^-[ceSsrjMCan]+$|^--tab$/, operands: "jq" },
  tee: { options: /^-[ai]+$/, operands: "nowhere" },
};
