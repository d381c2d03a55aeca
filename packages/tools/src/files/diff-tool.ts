import { defineTool, ToolFailure } from "@toolkeep/core";
import { fsRead } from "@toolkeep/core/internal";
import { notText } from "./edit-failures.ts";
import { DIFF_INPUT } from "./file-inputs.ts";
import { READS } from "./path-arguments.ts";
import { readTextForm } from "./text-form.ts";
import { diffTexts } from "./unified-diff.ts";

/** The tool `diff`: the unified diff that would turn a file into a text. Changes nothing. */
export function diffTool() {
  return defineTool({
    name: "diff",
    label: "Compare",
    description: "Returns the unified diff between a file and a text. Changes nothing.",
    mode: "read",
    inputSchema: DIFF_INPUT,
    requires: { fs: { read: READS } },
    effects: ({ path }) => [fsRead(path)],
    async execute({ path, content }, { io }) {
      const before = readTextForm((await io.files.read(path)).bytes);
      if (before.isBinary) throw notText(path);
      const diff = await diffTexts(path, before.text, content);
      if (diff === undefined) throw new ToolFailure("too_large", "The difference is too long to show.");
      return diff;
    },
  });
}
