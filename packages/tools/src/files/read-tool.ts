import { defineTool, type ToolContext, ToolFailure, type ToolOutput } from "@toolkeep/core";
import { defined, fsRead, invalidOption, READS_OUTPUTS } from "@toolkeep/core/internal";
import type { PdfReader } from "@toolkeep/core/ports";
import { isKeptPath } from "../kept/kept-path.ts";
import { READ_INPUT } from "./file-inputs.ts";
import { fileKind } from "./file-kind.ts";
import { missingFile } from "./near-names.ts";
import { inUtf8, type OpenedSource, openFile, openKept } from "./opened-source.ts";
import { READS, targetOf } from "./path-arguments.ts";
import { SEEN_FILES, type SeenPath } from "./seen-files.ts";
import { IMAGE_BYTES, refuseLargeImage, showImage } from "./show-image.ts";
import { showNotebook } from "./show-notebook.ts";
import { showPdf } from "./show-pdf.ts";
import { showBytes, showLines, type TextQuery } from "./show-text.ts";
import { systemCode } from "./system-code.ts";
import { markOf } from "./text-form.ts";

/** Options of `readTool`. */
export interface ReadOptions {
  /** The most bytes of a file shown at once, at least 4,096. Default: 200,000. */
  readonly maxBytes?: number;
  /** Reads PDFs. Default: a PDF is named and not shown. */
  readonly pdf?: PdfReader | undefined;
}

const FEWEST_BYTES = 4_096;

/**
 * The tool `read`: shows a file in a form that a model can read. The amount is limited; the model reads further with an
 * offset. Also reads an output that the session kept, by its path.
 * @throws ToolkeepError `invalid_option` for an invalid `maxBytes`.
 */
export function readTool({ maxBytes = 200_000, pdf }: ReadOptions = {}) {
  if (!Number.isSafeInteger(maxBytes) || maxBytes < FEWEST_BYTES)
    throw invalidOption(`\`maxBytes\` must be a whole number of at least ${FEWEST_BYTES}.`);
  return defineTool({
    name: "read",
    label: "Read",
    description:
      "Reads a file. Text is shown with line numbers, up to 200 KB at once; `offset` and `limit` count lines (pages of a PDF, cells of a notebook). `byte_offset` and `byte_limit` read any part of a large file, without line numbers. Shows images and PDFs. Also reads the path of an output that was cut.",
    mode: "read",
    kind: "read",
    gated: false,
    [READS_OUTPUTS]: true,
    inputSchema: READ_INPUT,
    requires: { fs: { read: READS } },
    // Text is cut before this limit; it is for images.
    maxOutput: { bytes: Math.ceil(IMAGE_BYTES / 3) * 4 + maxBytes * 2 },
    effects: ({ path }) => (isKeptPath(path) ? [] : [fsRead(path)]),
    async execute({ path, offset, limit, byte_offset, byte_limit }, ctx) {
      const query: TextQuery = {
        path,
        mostBytes: maxBytes,
        ...defined({ offset, limit, byteOffset: byte_offset, byteLimit: byte_limit }),
      };
      const isKept = isKeptPath(path);
      const source = isKept ? await openKept(ctx, path) : await openPresent(ctx, path);
      const shown = await show(source, { ...query, pdf, signal: ctx.abortSignal });
      if (!isKept) remember(source, targetOf(ctx, path));
      return shown;
    },
  });
}

/** Records only what was shown: a failed read does not permit a later `write`. */
function remember({ head, size, version }: OpenedSource, target: SeenPath): void {
  if (version !== undefined)
    SEEN_FILES.set(target, { version, ...(head.length === size ? { bytes: head } : {}) });
}

/** Opens a file. A file that is gone is forgotten. */
async function openPresent(ctx: ToolContext, path: string): Promise<OpenedSource> {
  try {
    return await openFile(ctx, path);
  } catch (error) {
    if (!ToolFailure.isInstance(error)) throw error;
    if (error.code === "not_found") {
      SEEN_FILES.delete(targetOf(ctx, path));
      throw await missingFile(ctx, path, error);
    }
    if (systemCode(error) === "EISDIR")
      throw new ToolFailure(error.code, error.message, {
        hint: "Use `list` to list it.",
        cause: error,
      });
    throw error;
  }
}

interface ShowQuery extends TextQuery {
  readonly pdf: PdfReader | undefined;
  readonly signal: AbortSignal;
}

async function show(source: OpenedSource, query: ShowQuery): Promise<string | ToolOutput> {
  const { path, byteOffset, byteLimit, pdf } = query;
  const asBytes = byteOffset !== undefined || byteLimit !== undefined;
  const kind = fileKind(source.head);
  if (kind?.imageType !== undefined) {
    refuseLargeImage(path, source.size);
    return showImage({ path, mimeType: kind.imageType, bytes: await source.readAll() });
  }
  if (kind?.name === "PDF") {
    if (pdf !== undefined) return showPdf(pdf, await source.readAll(), query);
    return `${path} is a PDF of ${source.size ?? "many"} bytes. This session has no PDF reader.`;
  }
  if (path.toLowerCase().endsWith(".ipynb") && !asBytes) {
    const notebook = await showNotebook(source, query);
    if (notebook !== undefined) return notebook;
  }
  const inParts = asBytes ? showBytes : showLines;
  const isWide = markOf(source.head).encoding !== "utf-8";
  const shown = isWide ? undefined : await inParts(source, query);
  if (shown !== undefined) return shown;
  const plain = await inUtf8(source);
  const decoded = plain === undefined ? undefined : await inParts(plain, query);
  return (
    decoded ??
    `${path} is ${kind?.name ?? "a binary file"} of ${source.size ?? "many"} bytes and is not shown.`
  );
}
