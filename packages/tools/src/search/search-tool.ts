import { defineTool } from "@toolkeep/core";
import { searchTexts } from "./search-texts.ts";
import {
  lookingThrough,
  PATTERN_SCHEMA,
  PLACE_SCHEMA,
  SEARCHED_PATHS,
  searchedPath,
} from "./searched-path.ts";

export interface SearchToolOptions {
  /** Most matches that one call gives; 50 where it is left out. */
  readonly limit?: number;
}

/** Makes `search`: `grep` with nothing to choose but where. */
export function searchTool({ limit = 50 }: SearchToolOptions = {}) {
  return defineTool({
    name: "search",
    label: "Search in files",
    description: `Searches files for a regular expression and shows the lines that match, at most ${limit}. Leaves out binary, hidden and ignored files, and those that hold secrets unless \`path\` names one.`,
    mode: "read",
    kind: "search",
    gated: false,
    timeoutMs: 30_000,
    inputSchema: {
      type: "object",
      properties: {
        pattern: PATTERN_SCHEMA,
        path: { ...PLACE_SCHEMA, description: "A file, or a folder to look in; the workspace if left out." },
      },
      required: ["pattern"],
      additionalProperties: false,
    },
    requires: SEARCHED_PATHS,
    effects: ({ path }) => lookingThrough(path),
    execute: ({ pattern, path }, ctx) =>
      searchTexts(ctx.io.files, {
        place: searchedPath(path, ctx),
        query: { pattern },
        shows: "content",
        limit,
      }),
  });
}
