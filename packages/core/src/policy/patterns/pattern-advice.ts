interface Reason {
  readonly found: RegExp;
  readonly advice: string;
}

export const IN_PATHS: readonly Reason[] = [
  { found: /[[\]\\]/, advice: "`[`, `]` and `\\` mean nothing in a path; write `{a,b}` or `?`" },
  {
    found: /[!+@?*]\(/,
    advice: "`!(`, `+(`, `@(`, `?(` and `*(` mean nothing in a path; write `{a,b}` or `?`",
  },
  { found: /^!/, advice: "a `!` at the start does not negate; write a rule with another action" },
  { found: /^~/, advice: "`~` means nothing in a path; write the whole path" },
];

export const IN_SEGMENTS: readonly Reason[] = [
  {
    found: /[{}]/,
    advice: "braces contain alternatives, as in `{a,b}`, or a variable; write `?` for the character",
  },
  {
    found: /[^/]\*\*|\*\*[^/]/,
    advice: "`**` means more than `*` only as a whole segment; write `**/*.ts` for `**.ts`",
  },
  {
    found: /(?:^|\/)\.{1,2}(?:\/|$)/,
    advice:
      "paths are resolved before rules are evaluated, so none contains `.` or `..`; write the resolved path",
  },
  {
    found: /\/\/|.\/$/,
    advice: "no path has an empty segment; write `/folder/**` for all that is in `/folder/`",
  },
];

export const IN_COMMANDS: readonly Reason[] = [
  { found: /'/, advice: "a quote in its pattern is not closed" },
  { found: /["\\`]/, advice: "quote with `'`: `\"`, `\\` and a backtick mean nothing in a command pattern" },
  {
    found: /[|&;<>]/,
    advice:
      "commands are evaluated one by one; write a rule for each, and quote a character that is part of a word",
  },
];
