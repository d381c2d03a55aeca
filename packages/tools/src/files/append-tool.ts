import { defineTool, ToolFailure, toolOutput } from "@toolkeep/core";
import { fsRead, fsWrite } from "@toolkeep/core/internal";
import { changedSince, notText, refuseMarks } from "./edit-failures.ts";
import { APPEND_INPUT } from "./file-inputs.ts";
import { targetOf, WRITES } from "./path-arguments.ts";
import { SEEN_FILES } from "./seen-files.ts";
import { encodeText, readTextForm, type TextForm } from "./text-form.ts";
import { diffTexts } from "./unified-diff.ts";

const PLAIN: TextForm = { encoding: "utf-8", mark: false };

/** The tool `append`: adds a text to the end of a file, in its encoding and with its line endings. */
export function appendTool() {
  return defineTool({
    name: "append",
    label: "Append",
    description: "Adds a text to the end of a file. Creates the file if it does not exist.",
    mode: "safe_write",
    kind: "edit",
    inputSchema: APPEND_INPUT,
    requires: { fs: { read: WRITES, write: WRITES } },
    effects: ({ path }) => [fsRead(path), fsWrite(path)],
    async execute({ path, content }, ctx) {
      if (!content.isWellFormed())
        throw new ToolFailure("invalid_arguments", "`content` contains half a character (a lone surrogate).");
      const found = await ctx.io.files.read(path).catch(unlessMissing);
      const target = targetOf(ctx, path);
      const seen = SEEN_FILES.get(target);
      if (seen !== undefined && seen.version !== found?.version) throw changedSince(path);
      const before =
        found === undefined ? { isBinary: false as const, text: "", form: PLAIN } : readTextForm(found.bytes);
      if (before.isBinary) throw notText(path);
      refuseMarks(path, content, before.text);
      const isLong = before.text.includes("\r\n") && !content.includes("\r");
      const added = isLong ? content.replaceAll("\n", "\r\n") : content;
      const bytes = encodeText(`${before.text}${added}`, before.form);
      const written = await ctx.io.files.write(path, bytes, { expects: found?.version ?? "absent" });
      if (seen !== undefined || found === undefined) SEEN_FILES.set(target, { version: written.version });
      return toolOutput({
        data: `Added ${content.length} characters to the end of ${path}.`,
        details: { path: target.path, diff: await diffTexts(path, before.text, `${before.text}${added}`) },
      });
    },
  });
}

function unlessMissing(error: unknown): undefined {
  if (ToolFailure.isInstance(error) && error.code === "not_found") return undefined;
  throw error;
}
