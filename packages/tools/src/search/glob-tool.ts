import { defineTool, textContent, toolOutput } from "@toolkeep/core";
import { GLOB_INPUT } from "./search-inputs.ts";
import { namesHidden, SEARCHED_PATHS, searchEffects, searchedPath } from "./searched-path.ts";

/** Options of `globTool`. */
export interface GlobToolOptions {
  /** The most files that one call returns. Default: 1000. */
  readonly limit?: number;
}

/** The tool `glob`: lists files by pattern, the most recently changed first. */
export function globTool({ limit = 1_000 }: GlobToolOptions = {}) {
  return defineTool({
    name: "glob",
    label: "Find files",
    description: `Lists files by pattern, e.g. \`**/*.ts\` or \`src/*.{js,css}\`, most recently changed first, at most ${limit}. Omits files ignored by .gitignore, and names that begin with a dot unless the pattern has one.`,
    mode: "read",
    kind: "search",
    gated: false,
    inputSchema: GLOB_INPUT,
    requires: SEARCHED_PATHS,
    effects: ({ path }) => searchEffects(path),
    async execute({ pattern, path }, ctx) {
      const searched = searchedPath(path, ctx);
      const query = {
        root: searched.root,
        pattern,
        newestFirst: true,
        hidden: namesHidden(pattern),
        limit: limit + 1,
      };
      const found = await Array.fromAsync(ctx.io.files.list(query), (entry) => entry.path);
      const isCut = found.length > limit;
      const files = found.slice(0, limit);
      return toolOutput({
        data: { files, truncated: isCut },
        content: [textContent(listed(files.map(searched.shown), isCut))],
      });
    },
  });
}

function listed(files: readonly string[], isCut: boolean): string {
  if (files.length === 0) return "No files match.";
  const list = files.join("\n");
  if (!isCut) return list;
  return `${list}\n(These are the ${files.length} most recent; there are more. Narrow \`pattern\` or \`path\` to see others.)`;
}
