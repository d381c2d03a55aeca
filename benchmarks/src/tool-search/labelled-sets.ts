import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolEntry } from "../../../packages/tools/src/tool-search/tool-entry.ts";

/** A query and the ids of the tools that answer it. */
export interface LabelledQuery {
  readonly query: string;
  readonly gold: readonly string[];
}

/** Tools and queries from one public benchmark. */
export interface LabelledSet {
  readonly name: string;
  readonly tools: readonly ToolEntry[];
  readonly queries: readonly LabelledQuery[];
}

const NAMES = ["seal", "metatool", "bfcl", "livemcp", "toolbench"];

/** Reads `NAME.tools.jsonl` and `NAME.queries.jsonl` of all five sets; throws if one is missing. */
export function readLabelledSets(folder: string): readonly LabelledSet[] {
  return NAMES.map((name) => {
    const tools = readLines<ToolLine>(join(folder, `${name}.tools.jsonl`));
    return {
      name,
      tools: tools.map(({ params, ...tool }) => ({ ...tool, parameters: params ?? "" })),
      queries: readLines<LabelledQuery>(join(folder, `${name}.queries.jsonl`)),
    };
  });
}

/**
 * Whether a query is in the half that constants were chosen on; figures come from the other half. It is a hash
 * of the query's text (FNV-1a over its UTF-16 units, mixed once more, even or odd), so that it never changes
 * and the same text is never in both halves.
 */
export function isForTuning({ query }: LabelledQuery): boolean {
  let hash = 0x811c9dc5;
  for (let at = 0; at < query.length; at += 1) hash = Math.imul(hash ^ query.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return ((hash ^ (hash >>> 13)) & 1) === 0;
}

interface ToolLine {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly params?: string;
}

function readLines<Line>(path: string): readonly Line[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line.trim() !== "").map((line): Line => JSON.parse(line));
}
