import { defineTool } from "@toolkeep/core";
import { searchTexts } from "./search-texts.ts";
import {
  GLOB_SCHEMA,
  lookingThrough,
  namesHidden,
  PATTERN_SCHEMA,
  PLACE_SCHEMA,
  SEARCHED_PATHS,
  searchedPath,
} from "./searched-path.ts";

export interface GrepToolOptions {
  /** Most matches that one call gives; 200 where it is left out. */
  readonly limit?: number;
}

/** Makes `grep`: searches files for a regular expression. */
export function grepTool({ limit = 200 }: GrepToolOptions = {}) {
  return defineTool({
    name: "grep",
    label: "Search in files",
    description: `Searches files for a regular expression (ripgrep's syntax, no look-around or back-references), at most ${limit} matches. Leaves out binary files, what .gitignore names, names that begin with a dot unless \`glob\` has one, and files that hold secrets (.env, keys) unless \`path\` names one.`,
    mode: "read",
    kind: "search",
    gated: false,
    inputSchema: {
      type: "object",
      properties: {
        pattern: PATTERN_SCHEMA,
        path: { ...PLACE_SCHEMA, description: "A file, or a folder to look in; the workspace if left out." },
        glob: { ...GLOB_SCHEMA, description: "Only files like this, e.g. `*.ts` or `src/**/*.{js,ts}`." },
        output_mode: {
          type: "string",
          enum: ["content", "files_with_matches", "count"],
          description: "Lines (`content`, if left out), paths alone, or how many lines match in each file.",
        },
        "-A": { ...AROUND, description: "Lines to show after each match." },
        "-B": { ...AROUND, description: "Lines to show before each match." },
        "-C": { ...AROUND, description: "Lines to show before and after each match." },
        "-i": { type: "boolean", description: "Ignore case." },
        multiline: { type: "boolean", description: "A match may go over lines; `(?s)` lets `.` do so." },
        head_limit: {
          type: "integer",
          minimum: 1,
          maximum: limit,
          description: "Stop after so many matches, or files where no lines are shown.",
        },
      },
      required: ["pattern"],
      additionalProperties: false,
    },
    requires: SEARCHED_PATHS,
    effects: ({ path }) => lookingThrough(path),
    execute({ pattern, path, glob, ...args }, ctx) {
      const around = args["-C"] ?? 0;
      const query = {
        ...{ pattern, ignoreCase: args["-i"] ?? false, multiline: args.multiline ?? false },
        ...{ before: args["-B"] ?? around, after: args["-A"] ?? around },
        ...(glob === undefined ? {} : { glob, hidden: namesHidden(glob) }),
      };
      const { output_mode: shows = "content", head_limit = limit } = args;
      return searchTexts(ctx.io.files, { place: searchedPath(path, ctx), query, shows, limit: head_limit });
    },
  });
}

const AROUND = { type: "integer", minimum: 0, maximum: 100 } as const;
