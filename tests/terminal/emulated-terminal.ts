import xterm from "@xterm/headless";
import { TypedTerminal } from "../../packages/node/src/terminal/typed-terminal.test.kit.ts";

/** A real terminal emulator between a program and what a user sees, without a window. */
export class EmulatedTerminal extends TypedTerminal {
  /** What the terminal did besides showing text. */
  readonly deeds: string[] = [];
  #isLinked = false;
  readonly #terminal: xterm.Terminal;

  constructor(columns = 80, rows = 40) {
    super(columns, rows);
    this.#terminal = new xterm.Terminal({
      ...{ cols: columns, rows, scrollback: 2_000, convertEol: true, allowProposedApi: true },
    });
    this.output.on("data", (chunk: Buffer) => this.#terminal.write(chunk));
    this.#watch();
  }

  #watch(): void {
    const { parser } = this.#terminal;
    this.#terminal.onTitleChange((title) => this.deeds.push(`title ${title}`));
    // A terminal that answers types for the user.
    this.#terminal.onData((text) => this.deeds.push(`answers ${JSON.stringify(text)}`));
    parser.registerOscHandler(52, () => this.deeds.push("clipboard") > 0);
    parser.registerOscHandler(8, (link) => {
      this.#isLinked = link !== ";";
      return this.#isLinked && this.deeds.push(`link ${link}`) > 0;
    });
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
    Object.assign(this.output, { columns, rows });
    this.output.emit("resize");
  }

  /** What is on the screen, with what was scrolled away before it. */
  async screen(): Promise<Screen> {
    await new Promise<void>((resolve) => this.#terminal.write("", resolve));
    const { active } = this.#terminal.buffer;
    const rows = Array.from({ length: active.length }, (_, at) => seenRow(active.getLine(at)));
    const { originMode, insertMode, mouseTrackingMode } = this.#terminal.modes;
    const isOdd = active.type === "alternate" || originMode || insertMode || mouseTrackingMode !== "none";
    const visible = rows.slice(active.baseY, active.baseY + this.#terminal.rows);
    return { rows, visible, isOdd: isOdd || this.#isLinked };
  }
}

export interface Screen {
  /** Everything, the rows that were scrolled away first. */
  readonly rows: readonly string[];
  readonly visible: readonly string[];
  /** Whether the terminal was left in a state that changes what is shown next. */
  readonly isOdd: boolean;
}

/** A row as a user sees it: hidden cells are empty, characters without a width are not there, directions are followed. */
function seenRow(line: xterm.IBufferLine | undefined): string {
  let text = "";
  for (let at = 0; at < (line?.length ?? 0); at += 1) {
    const cell = line?.getCell(at);
    if (cell === undefined || cell.getWidth() === 0) continue;
    text += cell.isInvisible() ? " " : cell.getChars() || " ";
  }
  const [before = "", turned] = text.split("\u202e");
  const shown = turned === undefined ? before : before + [...turned.trimEnd()].toReversed().join("");
  return shown.replaceAll(/[\p{Cf}\p{Mn}\p{Me}]/gu, "").trimEnd();
}
