import { defineTool } from "@toolkeep/core";
import { READS_OUTPUTS } from "@toolkeep/core/internal";
import { isKeptPath } from "../kept/kept-path.ts";
import { GREP_INPUT, MOST_MATCHES } from "./search-inputs.ts";
import { filesAt, searchTexts } from "./search-texts.ts";
import { namesHidden, SEARCHED_PATHS, searchEffects, searchedPath } from "./searched-path.ts";

/** The tool `grep`: searches files for a regular expression. */
export function grepTool() {
  return defineTool({
    name: "grep",
    label: "Search in files",
    description: `Searches files for a regular expression (ripgrep's syntax, no look-around or back-references), at most ${MOST_MATCHES} matches. Omits binary files, files ignored by .gitignore, names that begin with a dot unless \`glob\` has one, and files that contain secrets (.env, keys) unless \`path\` names one. Also searches an output that was cut, by its path.`,
    mode: "read",
    kind: "search",
    gated: false,
    [READS_OUTPUTS]: true,
    inputSchema: GREP_INPUT,
    requires: SEARCHED_PATHS,
    effects: ({ path }) => (path !== undefined && isKeptPath(path) ? [] : searchEffects(path)),
    execute({ pattern, path, glob, ...args }, ctx) {
      const around = args["-C"] ?? 0;
      const query = {
        ...{ pattern, ignoreCase: args["-i"] ?? false, multiline: args.multiline ?? false },
        ...{ before: args["-B"] ?? around, after: args["-A"] ?? around },
        ...(glob === undefined ? {} : { glob, hidden: namesHidden(glob) }),
      };
      const { output_mode: shows = "content", head_limit = MOST_MATCHES } = args;
      return searchTexts(filesAt(path, ctx), {
        searched: searchedPath(path, ctx),
        query,
        shows,
        limit: head_limit,
      });
    },
  });
}
