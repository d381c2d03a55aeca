import { type ToolContext, ToolFailure } from "@toolkeep/core";
import { isBeneath, terminalText } from "@toolkeep/core/internal";
import type { Place } from "./read-answers.ts";

const LONGEST_LINE = 300;
const MOST_FILES = 100;

/** Names places as the model does, and reads the lines at them. */
export class ShownPlaces {
  readonly #workspace: string;
  readonly #ctx: ToolContext;
  readonly #lines = new Map<string, readonly string[]>();

  constructor(workspace: string, ctx: ToolContext) {
    this.#workspace = workspace;
    this.#ctx = ctx;
  }

  /** Relative to the workspace, where it is in it. */
  named<At extends Place>(place: At): At {
    const { path } = place;
    const name = isBeneath(path, this.#workspace) ? path.slice(this.#workspace.length + 1) : path;
    return { ...place, path: terminalText(name).replaceAll("\n", "\\n") };
  }

  /** The text of the line, of files in the workspace that the call may read. */
  async textAt({ path, line }: Place): Promise<string | undefined> {
    if (!isBeneath(path, this.#workspace)) return undefined;
    const known = this.#lines.get(path);
    if (known === undefined && this.#lines.size >= MOST_FILES) return undefined;
    const lines = known ?? (await this.#read(path));
    this.#lines.set(path, lines);
    const text = lines[line - 1]?.trim();
    return text === undefined ? undefined : terminalText(text).slice(0, LONGEST_LINE);
  }

  async #read(path: string): Promise<readonly string[]> {
    try {
      return linesOf(new TextDecoder().decode((await this.#ctx.io.files.read(path)).bytes));
    } catch (error) {
      if (ToolFailure.isInstance(error)) return [];
      throw error;
    }
  }
}

export function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|\n|\r/);
}
