import { defineTool } from "@toolkeep/core";
import { READS_OUTPUTS } from "@toolkeep/core/internal";
import { isKeptPath } from "../kept/kept-path.ts";
import { filesAt, searchTexts } from "./search-texts.ts";
import {
  GLOB_SCHEMA,
  namesHidden,
  PATH_SCHEMA,
  PATTERN_SCHEMA,
  SEARCHED_PATHS,
  searchEffects,
  searchedPath,
} from "./searched-path.ts";

/** The most matches that one call returns. */
const LIMIT = 200;

/** The tool `grep`: searches files for a regular expression. */
export function grepTool() {
  return defineTool({
    name: "grep",
    label: "Search in files",
    description: `Searches files for a regular expression (ripgrep's syntax, no look-around or back-references), at most ${LIMIT} matches. Omits binary files, files ignored by .gitignore, names that begin with a dot unless \`glob\` has one, and files that contain secrets (.env, keys) unless \`path\` names one. Also searches an output that was cut, by its path.`,
    mode: "read",
    kind: "search",
    gated: false,
    [READS_OUTPUTS]: true,
    inputSchema: {
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
          maximum: LIMIT,
          description: "Stop after this many matches, or files where no lines are shown.",
        },
      },
      required: ["pattern"],
      additionalProperties: false,
    },
    requires: SEARCHED_PATHS,
    effects: ({ path }) => (path !== undefined && isKeptPath(path) ? [] : searchEffects(path)),
    execute({ pattern, path, glob, ...args }, ctx) {
      const around = args["-C"] ?? 0;
      const query = {
        ...{ pattern, ignoreCase: args["-i"] ?? false, multiline: args.multiline ?? false },
        ...{ before: args["-B"] ?? around, after: args["-A"] ?? around },
        ...(glob === undefined ? {} : { glob, hidden: namesHidden(glob) }),
      };
      const { output_mode: shows = "content", head_limit = LIMIT } = args;
      return searchTexts(filesAt(path, ctx), {
        searched: searchedPath(path, ctx),
        query,
        shows,
        limit: head_limit,
      });
    },
  });
}

const AROUND = { type: "integer", minimum: 0, maximum: 100 } as const;
