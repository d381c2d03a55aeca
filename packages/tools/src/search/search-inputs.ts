/** The schema of a glob. */
const GLOB_SCHEMA = { type: "string", minLength: 1, maxLength: 1_024 } as const;

/** The schema of the path to search. */
const PATH_SCHEMA = { type: "string", minLength: 1, maxLength: 4_096 } as const;

/** The schema of the pattern to search for. */
const PATTERN_SCHEMA = {
  type: "string",
  minLength: 1,
  maxLength: 10_000,
  description: "The expression. Escape special characters with a backslash to match them literally.",
} as const;

/** The most matches that one call of `grep` returns. */
export const MOST_MATCHES = 200;

const AROUND = { type: "integer", minimum: 0, maximum: 100 } as const;

/** How many levels of folders `repo_overview` shows by default. */
export const USUAL_DEPTH = 2;

/** The arguments of `glob`. */
export const GLOB_INPUT = {
  type: "object",
  properties: {
    pattern: {
      ...GLOB_SCHEMA,
      description: "Relative to `path`. `**` stands for any number of folders.",
    },
    path: { ...PATH_SCHEMA, description: "The folder to search. Default: the workspace." },
  },
  required: ["pattern"],
  additionalProperties: false,
} as const;

/** The arguments of `grep`. */
export const GREP_INPUT = {
  type: "object",
  properties: {
    pattern: PATTERN_SCHEMA,
    path: { ...PATH_SCHEMA, description: "A file or folder to search. Default: the workspace." },
    glob: {
      ...GLOB_SCHEMA,
      description: "Only files that match this glob, e.g. `*.ts` or `src/**/*.{js,ts}`.",
    },
    output_mode: {
      type: "string",
      enum: ["content", "files_with_matches", "count"],
      description:
        "Matching lines (`content`, the default), paths only, or the number of matching lines in each file.",
    },
    "-A": { ...AROUND, description: "Lines to show after each match." },
    "-B": { ...AROUND, description: "Lines to show before each match." },
    "-C": { ...AROUND, description: "Lines to show before and after each match." },
    "-i": { type: "boolean", description: "Ignore case." },
    multiline: {
      type: "boolean",
      description: "A match may span lines; `(?s)` lets `.` match line breaks.",
    },
    head_limit: {
      type: "integer",
      minimum: 1,
      maximum: MOST_MATCHES,
      description: "Stop after this many matches, or files where no lines are shown.",
    },
  },
  required: ["pattern"],
  additionalProperties: false,
} as const;

/** The arguments of `search`. */
export const SEARCH_INPUT = {
  type: "object",
  properties: {
    pattern: PATTERN_SCHEMA,
    path: { ...PATH_SCHEMA, description: "A file or folder to search. Default: the workspace." },
  },
  required: ["pattern"],
  additionalProperties: false,
} as const;

/** The arguments of `repo_overview`. */
export const OVERVIEW_INPUT = {
  type: "object",
  properties: {
    path: { ...PATH_SCHEMA, description: "The folder. Default: the workspace." },
    depth: {
      type: "integer",
      minimum: 1,
      maximum: 10,
      description: `How many levels of folders. Default: ${USUAL_DEPTH}.`,
    },
  },
  additionalProperties: false,
} as const;
