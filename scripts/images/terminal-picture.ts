import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Resvg } from "@resvg/resvg-js";
import headless, { type IBufferCell, type IBufferLine } from "@xterm/headless";

/** What was typed, and what a terminal of so many columns received afterwards. */
export interface TerminalText {
  readonly typed: string;
  readonly received: string;
  readonly columns: number;
}

const SIZE = 14;
/** Of DejaVu Sans Mono, for one em. */
const ADVANCE = SIZE * 0.602;
const LINE = 20;
const PADDING = 18;
const BACKGROUND = "#15181e";
const FOREGROUND = "#d6dae0";
const DIM = "#8b93a1";
const PROMPT = "#7fd1ae";
/** The colours 0 to 15 of a terminal. */
const PALETTE = [
  ...["#3b4048", "#f28b82", "#8fd6a4", "#f2cf7e", "#8ab4f8", "#d7a6f0", "#7fd1de", "#d6dae0"],
  ...["#8b93a1", "#ff9d94", "#a4e8b8", "#ffe09a", "#a5c6ff", "#e5bcfa", "#98e3ee", "#ffffff"],
];
const MOST_ROWS = 200;

/** A picture of the terminal, as PNG. */
export async function pictureOf({ typed, received, columns }: TerminalText): Promise<Buffer> {
  const lines = await screenLines(received, columns);
  const first = `<text x="${PADDING}" y="${baseline(0)}"><tspan fill="${PROMPT}">$</tspan> <tspan font-weight="bold">${escaped(typed)}</tspan></text>`;
  const rows = lines.flatMap((line, row) => runsOf(line, columns).map((run) => runText(run, row + 1)));
  const width = Math.ceil(columns * ADVANCE + 2 * PADDING);
  const height = (lines.length + 1) * LINE + 2 * PADDING;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="DejaVu Sans Mono" font-size="${SIZE}" fill="${FOREGROUND}" xml:space="preserve"><rect width="${width}" height="${height}" rx="8" fill="${BACKGROUND}"/>${first}${rows.join("")}</svg>`;
  return render(svg);
}

/** The lines of the screen, as a terminal emulator has them after everything was written. */
async function screenLines(text: string, columns: number): Promise<readonly IBufferLine[]> {
  const terminal = new headless.Terminal({
    ...{ cols: columns, rows: MOST_ROWS, convertEol: true, allowProposedApi: true },
  });
  await new Promise<void>((resolve) => {
    terminal.write(text, resolve);
  });
  const { active } = terminal.buffer;
  const lines = Array.from({ length: active.length }, (_, row) => active.getLine(row));
  const last = lines.findLastIndex((line) => (line?.translateToString(true) ?? "") !== "");
  return lines.slice(0, last + 1).filter((line) => line !== undefined);
}

interface Run {
  readonly column: number;
  readonly style: string;
  text: string;
}

/** The text of a line, in pieces of one style. */
function runsOf(line: IBufferLine, columns: number): readonly Run[] {
  const runs: Run[] = [];
  for (let column = 0; column < columns; column += 1) {
    const cell = line.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const style = styleOf(cell);
    const last = runs.at(-1);
    const chars = cell.getChars() || " ";
    if (last?.style === style) last.text += chars;
    else runs.push({ column, style, text: chars });
  }
  return runs.filter(({ text }) => text.trim() !== "");
}

function styleOf(cell: IBufferCell): string {
  const bold = cell.isBold() ? ' font-weight="bold"' : "";
  const colour = cell.isFgPalette() ? PALETTE[cell.getFgColor()] : undefined;
  const fill = colour ?? (cell.isDim() ? DIM : undefined);
  return fill === undefined ? bold : `${bold} fill="${fill}"`;
}

function runText({ column, style, text }: Run, row: number): string {
  return `<text x="${(PADDING + column * ADVANCE).toFixed(2)}" y="${baseline(row)}"${style}>${escaped(text.trimEnd())}</text>`;
}

function baseline(row: number): number {
  return PADDING + row * LINE + SIZE;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const FONTS = dirname(fileURLToPath(import.meta.resolve("dejavu-fonts-ttf/package.json")));

function render(svg: string): Buffer {
  const fontFiles = ["DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf"].map((name) => join(FONTS, "ttf", name));
  const font = { loadSystemFonts: false, fontFiles, defaultFontFamily: "DejaVu Sans Mono" };
  return new Resvg(svg, { font, fitTo: { mode: "zoom", value: 2 } }).render().asPng();
}
