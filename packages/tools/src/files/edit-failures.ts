import { ToolFailure } from "@toolkeep/core";
import type { Span } from "./find-matches.ts";
import { nearestLines } from "./nearest-lines.ts";
import { countLines, endOfLine, type SearchedText, startOfLine } from "./searched-text.ts";
import { shownText } from "./text-form.ts";

/** The text to replace is not there: shows what comes nearest to it. */
export function missing(path: string, { bytes }: SearchedText, wanted: string): ToolFailure {
  const directories = nearestLines(shownText(bytes), wanted.replaceAll("\r\n", "\n"));
  const shown = directories.map(({ line, lines }) =>
    lines.map((text, index) => numbered(line + index, text)).join("\n"),
  );
  const near = shown.length === 0 ? "" : ` What comes nearest:\n${shown.join("\n…\n")}\n`;
  const hint = NUMBERED.test(wanted)
    ? "Leave out the line numbers that `read` shows before each line."
    : directories.some(({ differsInSpace }) => differsInSpace)
      ? "Only white space is different: copy it exactly, with its indentation."
      : "Read the file, and copy the text exactly.";
  return new ToolFailure("conflict", `The text to replace is not in ${JSON.stringify(path)}.${near}`, {
    hint,
  });
}

export interface Ambiguity {
  readonly path: string;
  readonly text: SearchedText;
  readonly matches: readonly Span[];
  /** How many were looked for at most. */
  readonly most: number;
}

/** The text to replace is there several times: shows where. */
export function ambiguous({ path, text, matches, most }: Ambiguity): ToolFailure {
  const count = matches.length < most ? `${matches.length} times` : `at least ${most} times`;
  const lines: string[] = [];
  let line = 1;
  let counted = 0;
  for (const { start } of matches) {
    line += countLines(text, counted, start);
    counted = start;
    lines.push(numbered(line, lineAt(text, start)));
  }
  return new ToolFailure(
    "conflict",
    `The text to replace is in ${JSON.stringify(path)} ${count}:\n${lines.join("\n")}\n`,
    { hint: "Give more of the lines around the one you mean, or set `replace_all`." },
  );
}

const LONGEST_LINE = 200;
const NUMBERED = /^ *\d+\t/;

function numbered(line: number, text: string): string {
  const shown = text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text;
  return `${String(line).padStart(6)}\t${shown}`;
}

function lineAt(text: SearchedText, at: number): string {
  const start = startOfLine(text, at);
  // Far more bytes than characters that are shown.
  const end = Math.min(endOfLine(text, at), start + LONGEST_LINE * 4);
  return shownText(text.bytes.subarray(start, end)).replace(/\r?\n?$/, "");
}
