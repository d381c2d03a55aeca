import { defineTool } from "@toolkeep/core";
import { fsDelete } from "@toolkeep/core/internal";
import { DELETE_INPUT } from "./file-inputs.ts";
import { targetOf, WRITES } from "./path-arguments.ts";
import { SEEN_FILES } from "./seen-files.ts";

/** The tool `delete`: removes a file, or a folder with nothing in it. */
export function deleteTool() {
  return defineTool({
    name: "delete",
    label: "Delete",
    description: "Deletes a file, or an empty folder.",
    mode: "destructive",
    kind: "delete",
    inputSchema: DELETE_INPUT,
    requires: { fs: { write: WRITES } },
    effects: ({ path }) => [fsDelete(path)],
    async execute({ path }, ctx) {
      await ctx.io.files.remove(path);
      SEEN_FILES.delete(targetOf(ctx, path));
      return `Deleted ${path}.`;
    },
  });
}
