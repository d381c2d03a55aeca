import { defineTool, ToolFailure, toolOutput } from "@toolkeep/core";
import { fsWrite } from "@toolkeep/core/internal";
import type { WrittenFile } from "@toolkeep/core/ports";
import { refuseMarks } from "./edit-failures.ts";
import { WRITE_INPUT } from "./file-inputs.ts";
import { targetOf, WRITES } from "./path-arguments.ts";
import { SEEN_FILES, type SeenFile } from "./seen-files.ts";
import { systemCode } from "./system-code.ts";
import { readTextForm } from "./text-form.ts";
import { diffTexts } from "./unified-diff.ts";

/**
 * The tool `write`: writes a whole file. It replaces an existing file only if the session has read it and it has not
 * changed since. The tool itself does not read: the diff it shows compares with what the session read before.
 */
export function writeTool() {
  return defineTool({
    name: "write",
    label: "Write",
    description:
      "Writes a whole file in UTF-8. Creates the file and its folders if they do not exist. An existing file must have been read first; use `edit` to change parts of it.",
    mode: "safe_write",
    kind: "edit",
    inputSchema: WRITE_INPUT,
    requires: { fs: { write: WRITES } },
    effects: ({ path }) => [fsWrite(path)],
    async execute({ path, content }, ctx) {
      if (!content.isWellFormed())
        throw new ToolFailure("invalid_arguments", "`content` contains half a character (a lone surrogate).");
      const bytes = new TextEncoder().encode(content);
      const target = targetOf(ctx, path);
      const seenFile = SEEN_FILES.get(target);
      if (seenFile !== undefined) refuseMarks(path, content, textOf(seenFile));
      const expects = seenFile?.version ?? "absent";
      const diff = await diffFrom(seenFile, path, content);
      const written = await ctx.io.files
        .write(path, bytes, { expects })
        .catch((error: unknown) => explainConflict(error, path, seenFile));
      SEEN_FILES.set(target, { version: written.version, bytes });
      return toolOutput({
        data: `${seenFile === undefined ? "Made" : "Replaced"} ${path}: ${count(lines(content), "line")}, ${count(bytes.length, "byte")}.`,
        details: { path: target.path, created: seenFile === undefined, diff },
      });
    },
  });
}

/** The session had not read the file, and the file exists. */
function explainConflict(error: unknown, path: string, seenFile: SeenFile | undefined): WrittenFile {
  // Other conflicts are unrelated to what was read.
  if (seenFile !== undefined || systemCode(error) !== "EEXIST") throw error;
  throw new ToolFailure("conflict", `${JSON.stringify(path)} exists, and this session has not read it.`, {
    hint: "Read it before you replace it, or choose another name.",
    cause: error,
  });
}

async function diffFrom(
  seenFile: SeenFile | undefined,
  path: string,
  content: string,
): Promise<string | undefined> {
  if (seenFile === undefined) return diffTexts(path, "", content);
  const before = textOf(seenFile);
  return before === undefined ? undefined : diffTexts(path, before, content);
}

/** Missing for a file that is not text, or was seen in part. */
function textOf({ bytes }: SeenFile): string | undefined {
  const form = bytes === undefined ? undefined : readTextForm(bytes);
  return form === undefined || form.isBinary ? undefined : form.text;
}

function lines(content: string): number {
  const ends = content.split("\n").length - 1;
  return content === "" || content.endsWith("\n") ? ends : ends + 1;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
