import { styleText } from "node:util";
import { terminalText } from "@toolkeep/core/internal";

/** A line for people. Text of others in it is escaped already. */
export interface StyledLine {
  readonly text: string;
  readonly style?: LineStyle;
}

export type LineStyle = "bold" | "dim" | "red" | "yellow" | "green" | "cyan";

/** The lines as text for standard output: with colours in a terminal that wants them, made harmless before. */
export function styledText(lines: readonly (string | StyledLine)[]): string {
  const isPlain = process.env["CI"] !== undefined && process.env["FORCE_COLOR"] === undefined;
  const styled = lines.map((line) => {
    const { text, style } = typeof line === "string" ? { text: line, style: undefined } : line;
    const safe = terminalText(text);
    return style === undefined || isPlain ? safe : styleText(style, safe, { stream: process.stdout });
  });
  return styled.join("\n");
}
