import { harmlessText } from "@toolkeep/core/internal";
import type { SearchMatch } from "@toolkeep/core/ports";
import type { FoundFile } from "./collect-texts.ts";

const LONGEST_LINE = 500;

/** The path of each file, and beneath it its lines: `12:` before one that matches, `13-` before one around it. */
export function showLines(files: readonly FoundFile[]): string {
  return files.map(({ path, lines }) => `${path}\n${withGaps(lines)}`).join("\n\n");
}

/** A line that is too long is cut: what is made by machines has lines without end. */
export function cutLine(line: string): string {
  return harmlessText(line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line);
}

/** With `--` where lines are left out between those that stand together. */
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
