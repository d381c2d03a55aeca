import { styleText } from "node:util";
import { terminalText } from "@toolkeep/core/internal";
import { wrapped } from "@toolkeep/node/internal";

/** A line for people. Text of others in it is escaped already. */
export interface StyledLine {
  readonly text: string;
  readonly style?: LineStyle;
  /** Whether a terminal shows it in rows of its width, each further one indented: text in it cannot begin a row. */
  readonly isWrapped?: true;
}

export type LineStyle = "bold" | "dim" | "red" | "yellow" | "green" | "cyan";

/** The lines as text for standard output: with colours in a terminal that wants them, made harmless before. */
export function styledText(lines: readonly (string | StyledLine)[]): string {
  const isPlain = process.env["CI"] !== undefined && process.env["FORCE_COLOR"] === undefined;
  const columns = process.stdout.isTTY === true ? process.stdout.columns : 0;
  const styled = lines.flatMap((line) => {
    const { text, style, isWrapped }: StyledLine = typeof line === "string" ? { text: line } : line;
    const safe = terminalText(text);
    const rest = `${/^ */.exec(safe)?.[0] ?? ""}    `;
    const rows =
      isWrapped === true && columns > 0
        ? wrapped(safe, { columns, rest }).map((one) => ({ text: one.text.trimEnd() }))
        : [{ text: safe }];
    return rows.map(({ text: row }) =>
      style === undefined || isPlain ? row : styleText(style, row, { stream: process.stdout }),
    );
  });
  return styled.join("\n");
}

/** Lines in rows of the terminal's width. */
export function wrappedLines(lines: readonly string[], style?: LineStyle): readonly StyledLine[] {
  return lines.map((text) => ({ text, isWrapped: true, ...(style === undefined ? {} : { style }) }));
}
