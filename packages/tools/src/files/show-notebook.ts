import { headOf, showBlocks } from "./show-blocks.ts";
import type { TextQuery } from "./show-text.ts";

const OUTPUT_BYTES = 4_000;

/** The cells of a notebook with what they gave; `undefined` for what is none. */
export async function showNotebook(bytes: Uint8Array, query: TextQuery): Promise<string | undefined> {
  const cells = cellsOf(bytes);
  if (cells === undefined) return undefined;
  const shown = await showBlocks(
    { what: "cell", count: cells.length, block: (number) => showCell(cells[number - 1]) },
    query,
  );
  return `${shown}\n\n(The file itself is JSON: give byte_offset to see it as it is.)`;
}

function cellsOf(bytes: Uint8Array): readonly unknown[] | undefined {
  try {
    const { cells } = fieldsOf(JSON.parse(new TextDecoder().decode(bytes)));
    return Array.isArray(cells) ? cells : undefined;
  } catch {
    return undefined;
  }
}

function showCell(cell: unknown): string {
  const { cell_type, source, outputs } = fieldsOf(cell);
  const parts = [`(${typeof cell_type === "string" ? cell_type : "unknown"})`, textOf(source)];
  for (const output of Array.isArray(outputs) ? outputs : []) parts.push(`[output]\n${showOutput(output)}`);
  return parts.join("\n");
}

function showOutput(output: unknown): string {
  const { text, data, ename, evalue } = fieldsOf(output);
  const kinds = fieldsOf(data);
  const said = textOf(text) || textOf(kinds["text/plain"]);
  const failed = typeof ename === "string" ? `${ename}: ${textOf(evalue)}` : "";
  const shown = said || failed || `(${Object.keys(kinds).join(", ") || "nothing"})`;
  return shown.length > OUTPUT_BYTES ? `${headOf(shown, OUTPUT_BYTES)}\n…` : shown;
}

/** Texts are written whole or line by line. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.filter((line) => typeof line === "string").join("") : "";
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
