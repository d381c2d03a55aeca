/** Records that need a tool that is still to come, each with what is missing. */
export const PLANNED: Readonly<Record<string, string>> = {
  C029: "a rule for scripts that gives way when the scripts were changed",
  L021: "the read tool, which knows what its session kept",
  NL006: "the tool that turns a page into text",
  NL007: "the tool that turns a page into text",
  R016: "the size of an argument is the tool's to bound",
  R017: "the edit tool",
  R018: "the edit tool",
  R019: "the todo tool",
  R020: "the search tool for the web",
};

/** Records with a test of their own, which is longer than one call. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  L015: "tests/file-races.test.ts",
  L016: "tests/file-races.test.ts",
};
