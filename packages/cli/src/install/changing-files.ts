/** What a person is asked before a client's files are changed. */
export const CHANGING_FILES = {
  question: "Change these files?",
  refused: "Nothing was changed.",
  hint: "Look at what --dry-run shows, then say --yes.",
} as const;
