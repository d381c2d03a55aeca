import { defineTool, output, text } from "@toolkeep/core";
import {
  GLOB_SCHEMA,
  lookingThrough,
  namesHidden,
  PLACE_SCHEMA,
  SEARCHED_PATHS,
  searchedPath,
} from "./searched-path.ts";

export interface GlobToolOptions {
  /** Most files that one call gives; 1000 where it is left out. */
  readonly limit?: number;
}

/** Makes `glob`: lists files by pattern, the newest first. */
export function globTool({ limit = 1_000 }: GlobToolOptions = {}) {
  return defineTool({
    name: "glob",
    label: "Find files",
    description: `Lists files by pattern, e.g. \`**/*.ts\` or \`src/*.{js,css}\`, most recently changed first, at most ${limit}. What .gitignore names is left out, and so are names that begin with a dot, unless the pattern has one.`,
    mode: "read",
    kind: "search",
    gated: false,
    inputSchema: {
      type: "object",
      properties: {
        pattern: {
          ...GLOB_SCHEMA,
          description: "Relative to `path`. `**` stands for any number of folders.",
        },
        path: { ...PLACE_SCHEMA, description: "The folder to look in; the workspace if left out." },
      },
      required: ["pattern"],
      additionalProperties: false,
    },
    requires: SEARCHED_PATHS,
    effects: ({ path }) => lookingThrough(path),
    async execute({ pattern, path }, ctx) {
      const place = searchedPath(path, ctx);
      const query = {
        root: place.root,
        pattern,
        newestFirst: true,
        hidden: namesHidden(pattern),
        limit: limit + 1,
      };
      const found = await Array.fromAsync(ctx.io.files.list(query), (entry) => entry.path);
      const isCut = found.length > limit;
      const files = found.slice(0, limit);
      return output({
        data: { files, truncated: isCut },
        content: [text(listed(files.map(place.shown), isCut))],
      });
    },
  });
}

function listed(files: readonly string[], isCut: boolean): string {
  if (files.length === 0) return "No files match.";
  const list = files.join("\n");
  if (!isCut) return list;
  return `${list}\n(These ${files.length} are the newest; there are more. Narrow \`pattern\` or \`path\` to see others.)`;
}
