import { harmlessText } from "@toolkeep/core/internal";
import type { SearchMatch } from "@toolkeep/core/ports";
import type { FoundFile } from "./collect-texts.ts";

const LONGEST_LINE = 500;

/** The path of each file and its lines: `12:` before a matching line, `13-` before a context line. */
export function showLines(files: readonly FoundFile[]): string {
  return files.map(({ path, lines }) => `${path}\n${withGaps(lines)}`).join("\n\n");
}

/** Cuts long lines: generated files have lines of any length. */
export function cutLine(line: string): string {
  return harmlessText(line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line);
}

/** Puts `--` where lines are omitted between groups. */
function withGaps(lines: readonly SearchMatch[]): string {
  const hasContext = lines.some(({ context }) => context);
  return lines
    .map(({ line, text, context }, index) => {
      const before = lines[index - 1];
      const isGap = hasContext && before !== undefined && line > before.line + 1;
      return `${isGap ? "--\n" : ""}${line}${context ? "-" : ":"}${cutLine(text)}`;
    })
    .join("\n");
}
