import { ToolFailure } from "@toolkeep/core";
import { unlessThrown } from "@toolkeep/core/internal";
import type { OpenedSource } from "./opened-source.ts";
import { headOf, showBlocks } from "./show-blocks.ts";
import type { TextQuery } from "./show-text.ts";

const OUTPUT_BYTES = 4_000;
/** Parsed JSON takes many times the memory of its text. */
const MOST_BYTES = 8 * 1_024 * 1_024;

/** Shows a notebook's cells and outputs; `undefined` for another file. @throws ToolFailure `too_large` above 8 MB. */
export async function showNotebook(
  source: Pick<OpenedSource, "size" | "readAll">,
  query: TextQuery,
): Promise<string | undefined> {
  refuseLarge(query.path, source.size ?? 0);
  const bytes = await source.readAll();
  refuseLarge(query.path, bytes.length);
  const cells = cellsOf(bytes);
  if (cells === undefined) return undefined;
  const shown = await showBlocks(
    { what: "cell", count: cells.length, block: (number) => showCell(cells[number - 1], query.mostBytes) },
    query,
  );
  return `${shown}\n\n(The file itself is JSON: give byte_offset to see it unformatted.)`;
}

function refuseLarge(path: string, size: number): void {
  if (size <= MOST_BYTES) return;
  throw new ToolFailure(
    "too_large",
    `${JSON.stringify(path)} has ${size} bytes; notebooks are shown up to ${MOST_BYTES} bytes.`,
    { hint: "Give byte_offset and byte_limit to read parts of the file unformatted." },
  );
}

function cellsOf(bytes: Uint8Array): readonly unknown[] | undefined {
  const cells = unlessThrown(() => fieldsOf(JSON.parse(new TextDecoder().decode(bytes)))["cells"]);
  return Array.isArray(cells) ? cells : undefined;
}

/** Stops adding outputs once they exceed what can be shown; the caller cuts the cell. */
function showCell(cell: unknown, mostBytes: number): string {
  const { cell_type, source, outputs } = fieldsOf(cell);
  const parts = [`(${typeof cell_type === "string" ? cell_type : "unknown"})`, textOf(source)];
  let length = textLength(parts);
  for (const output of Array.isArray(outputs) ? outputs : []) {
    if (length > mostBytes) break;
    const shown = `[output]\n${showOutput(output)}`;
    parts.push(shown);
    length += shown.length + 1;
  }
  return parts.join("\n");
}

/** A string has at least as many bytes as characters. */
function textLength(parts: readonly string[]): number {
  return parts.reduce((length, part) => length + part.length, 0);
}

function showOutput(output: unknown): string {
  const { text, data, ename, evalue } = fieldsOf(output);
  const kinds = fieldsOf(data);
  const said = textOf(text) || textOf(kinds["text/plain"]);
  const failed = typeof ename === "string" ? `${ename}: ${textOf(evalue)}` : "";
  const shown = said || failed || `(${Object.keys(kinds).join(", ") || "nothing"})`;
  return shown.length > OUTPUT_BYTES ? `${headOf(shown, OUTPUT_BYTES)}\n…` : shown;
}

/** Notebooks store text as one string or as a list of lines. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.filter((line) => typeof line === "string").join("") : "";
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
