import { fs } from "./builtin.ts";

const STDOUT = 1;
const USUAL_WIDTH = 80;
/** Narrower lines are harder to read than those that the terminal breaks. */
export const NARROWEST = 20;

/** The columns for help: those of the terminal, of `COLUMNS` where there is none, or the usual ones. */
export function helpWidth(): number {
  const isTerminal = fs().fstatSync(STDOUT).isCharacterDevice();
  const columns = isTerminal ? process.stdout.columns : Number(process.env["COLUMNS"]);
  return columns > 0 ? Math.max(columns, NARROWEST) : USUAL_WIDTH;
}

/** Breaks a text between words. A longer word has a line of its own. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

export type HelpItem = readonly [term: string, description: string];

/** A line with a term, and its description behind two blanks. */
export function itemOf(line: string): HelpItem {
  const [, term = "", description = ""] = /^ *(.*?)(?: {2,}(\S.*))?$/.exec(line) ?? [];
  return [term, description];
}

const INDENT = 2;
const GAP = 2;

/** Terms with their descriptions in a column. Below a term that is too long for its column stands its description. */
export function itemLines(items: readonly HelpItem[], width: number, all = items): readonly string[] {
  const widest = Math.max(NARROWEST, Math.floor(width / 2) - INDENT - GAP);
  const fitting = all.map(([term]) => term.length).filter((length) => length <= widest);
  const column = INDENT + GAP + Math.max(0, ...fitting);
  return items.flatMap(([term, description]) => {
    const below = wrapped(description, width - column).map((line) => " ".repeat(column) + line);
    const first = `${" ".repeat(INDENT)}${term}`;
    if (description === "") return [first];
    return first.length > column - GAP
      ? [...wrapped(term, width - INDENT).map((line) => " ".repeat(INDENT) + line), ...below]
      : [first + (below[0] ?? "").slice(first.length), ...below.slice(1)];
  });
}

/** A text of paragraphs, and of indented examples that may have a description in a second column. */
export function laidOut(text: string, width: number): string {
  const blocks = text.matchAll(/^(?: {2}\S.*(?:\n|$))+|^(?:\S.*(?:\n|$))+|^\n/gm);
  const lines = Array.from(blocks, ([block]) => block.replace(/\n$/, "")).flatMap((block) => {
    if (!block.startsWith(" "))
      return block.split(/(?<=:)\n/).flatMap((part) => wrapped(part.replaceAll("\n", " "), width));
    return itemLines(block.split("\n").map(itemOf), width);
  });
  return lines.join("\n");
}
