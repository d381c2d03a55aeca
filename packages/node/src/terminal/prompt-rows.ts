import { styleText } from "node:util";

/** One row of a screen. Untrusted text cannot choose a tone. */
export interface PromptRow {
  readonly text: string;
  readonly tone?: "title" | "danger" | "keys";
}

interface Wrapping {
  /** The beginning of the first row. */
  readonly first?: string;
  /** The beginning of every further row. */
  readonly rest?: string;
  readonly columns: number;
  readonly tone?: PromptRow["tone"];
}

/** Further rows of a text begin with a bar: none of them can look like a row of the prompt itself. */
export const BAR = "  | ";

/** A line as rows that fit the screen. A terminal would break it where the text wants, and could fake the next row. */
export function wrapped(
  text: string,
  { first = "", rest = BAR, columns, tone }: Wrapping,
): readonly PromptRow[] {
  const more = tone === undefined ? {} : { tone };
  const rows: PromptRow[] = [];
  const chars = [...text];
  let from = 0;
  do {
    const start = rows.length === 0 ? first : rest;
    const end = rowEnd(chars, from, Math.max(columns - 1 - cellsOf(start), 1));
    rows.push({ text: `${start}${chars.slice(from, end).join("")}`, ...more });
    from = end;
  } while (from < chars.length);
  return rows;
}

/** Where the row that begins at `from` ends; after a space where that leaves half of the row. */
function rowEnd(chars: readonly string[], from: number, cells: number): number {
  let used = 0;
  let end = from;
  while (end < chars.length) {
    used += cellsOf(chars[end] ?? "");
    if (used > cells && end > from) break;
    end += 1;
  }
  if (end >= chars.length) return chars.length;
  for (let at = end - 1; at > (from + end) / 2; at -= 1) if (chars[at] === " ") return at + 1;
  return end;
}

/** At least as many cells as any terminal uses: which characters are wide differs between them. */
function cellsOf(text: string): number {
  let cells = 0;
  for (const char of text) cells += char >= " " && char <= "~" ? 1 : 2;
  return cells;
}

/** Items on as few rows as they need. An item is never broken unless it is alone on its row. */
export function flowed(items: readonly string[], { columns, tone }: Wrapping): readonly PromptRow[] {
  const rows: string[] = [];
  for (const item of items) {
    const last = rows.at(-1);
    const joined = `${last}  ${item}`;
    if (last === undefined || cellsOf(joined) > columns - 1) rows.push(item);
    else rows[rows.length - 1] = joined;
  }
  return rows.flatMap((text) => wrapped(text, { columns, ...(tone === undefined ? {} : { tone }) }));
}

const STYLES = { title: ["bold"], danger: ["bold", "red"], keys: ["bold", "cyan"] } as const;

/** The row as a terminal gets it; in colours where they are wanted. */
export function styled({ text, tone }: PromptRow, hasColours: boolean): string {
  return tone === undefined || !hasColours
    ? text
    : styleText([...STYLES[tone]], text, { validateStream: false });
}
