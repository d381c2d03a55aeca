import { defineTool, output, ToolFailure } from "@toolkeep/core";
import { fsWrite } from "@toolkeep/core/internal";
import type { WrittenFile } from "@toolkeep/core/ports";
import { PATH, placeOf, WRITES } from "./path-arguments.ts";
import { SEEN_FILES, type SeenFile, type SeenFiles } from "./seen-files.ts";
import { readTextForm } from "./text-form.ts";
import { diffTexts } from "./unified-diff.ts";

export interface WriteToolOptions {
  /** What the session has seen of files. Must be the one that its `read` and `edit` have. */
  readonly seen?: SeenFiles;
}

/**
 * Makes the tool `write`: a whole file, new or in the place of one that the session has read and that has not
 * changed since. It does not read: what it shows people as different is what the session had read before.
 */
export function writeTool({ seen = SEEN_FILES }: WriteToolOptions = {}) {
  return defineTool({
    name: "write",
    label: "Write",
    description:
      "Writes a whole file, in UTF-8. Makes it and its folders if there are none. A file that exists must have been read first; use `edit` to change parts of it.",
    mode: "safe_write",
    kind: "edit",
    inputSchema: {
      type: "object",
      properties: {
        path: PATH,
        content: { type: "string", maxLength: 10_000_000, description: "All that shall be in the file." },
      },
      required: ["path", "content"],
      additionalProperties: false,
    } as const,
    requires: { fs: { write: WRITES } },
    effects: ({ path }) => [fsWrite(path)],
    async execute({ path, content }, ctx) {
      if (!content.isWellFormed())
        throw new ToolFailure("invalid_arguments", "`content` holds half a character (a lone surrogate).");
      const bytes = new TextEncoder().encode(content);
      const place = placeOf(ctx, path);
      const known = seen.get(place);
      const expects = known?.version ?? "absent";
      const diff = await diffFrom(known, path, content);
      const written = await ctx.io.files
        .write(path, bytes, { expects })
        .catch((error: unknown) => inWords(error, path, known));
      seen.set(place, { version: written.version, bytes });
      return output({
        data: `${known === undefined ? "Made" : "Replaced"} ${path}: ${count(lines(content), "line")}, ${count(bytes.length, "byte")}.`,
        details: { path: place.path, created: known === undefined, diff },
      });
    },
  });
}

/** Nothing was known of the file, and there is one. */
function inWords(error: unknown, path: string, known: SeenFile | undefined): WrittenFile {
  if (known !== undefined || !ToolFailure.isInstance(error) || error.code !== "conflict") throw error;
  // Other conflicts have nothing to do with what was read.
  if (!error.message.endsWith("exists already.")) throw error;
  throw new ToolFailure("conflict", `${JSON.stringify(path)} exists, and this session has not read it.`, {
    hint: "Read it before you replace it, or choose another name.",
    cause: error,
  });
}

async function diffFrom(
  known: SeenFile | undefined,
  path: string,
  content: string,
): Promise<string | undefined> {
  if (known === undefined) return diffTexts(path, "", content);
  const before = known.bytes === undefined ? undefined : readTextForm(known.bytes);
  return before === undefined || before.isBinary ? undefined : diffTexts(path, before.text, content);
}

function lines(content: string): number {
  const ends = content.split("\n").length - 1;
  return content === "" || content.endsWith("\n") ? ends : ends + 1;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
