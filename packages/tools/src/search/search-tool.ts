import { defineTool } from "@toolkeep/core";
import { READS_OUTPUTS } from "@toolkeep/core/internal";
import { isKeptPath } from "../kept/kept-path.ts";
import { SEARCH_INPUT } from "./search-inputs.ts";
import { filesAt, searchTexts } from "./search-texts.ts";
import { SEARCHED_PATHS, searchEffects, searchedPath } from "./searched-path.ts";

/** The most matches that one call returns. */
const LIMIT = 50;

/** The tool `search`: `grep` with a pattern and a path only. */
export function searchTool() {
  return defineTool({
    name: "search",
    label: "Search in files",
    description: `Searches files for a regular expression and shows the matching lines, at most ${LIMIT}. Omits binary, hidden and ignored files, and files that contain secrets unless \`path\` names one. Also searches an output that was cut, by its path.`,
    mode: "read",
    kind: "search",
    gated: false,
    [READS_OUTPUTS]: true,
    timeoutMs: 30_000,
    inputSchema: SEARCH_INPUT,
    requires: SEARCHED_PATHS,
    effects: ({ path }) => (path !== undefined && isKeptPath(path) ? [] : searchEffects(path)),
    execute: ({ pattern, path }, ctx) =>
      searchTexts(filesAt(path, ctx), {
        searched: searchedPath(path, ctx),
        query: { pattern },
        shows: "content",
        limit: LIMIT,
      }),
  });
}
