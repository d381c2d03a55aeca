import { homedir } from "node:os";
import { osUser } from "../user/os-user.ts";
import type { PromptView } from "./approval-prompt.ts";
import { hasEscapes, type ScreenOutput } from "./keyboard.ts";
import { type PromptRow, styled } from "./prompt-rows.ts";

/** What earlier output may have left behind: colours, character sets, scroll regions, an open link. */
const RESET = "\u001b]8;;\u001b\\\u001b[!p\u001b[0m\u001b(B\u000f";
const CLEAR = "\u001b[H\u001b[2J";

/** The screen as it is now. Streams that do not know their size are taken for a usual one. */
export function viewOf({ columns = 0, rows = 0 }: ScreenOutput): PromptView {
  const { user } = osUser();
  return { columns: columns || 80, rows: rows || 24, now: Date.now(), home: homedir(), user };
}

/** Shows rows, the last one without a line end. `isAnew`: instead of what is on the screen. */
export function showRows(
  output: ScreenOutput,
  rows: readonly PromptRow[],
  { isAnew = false }: { readonly isAnew?: boolean } = {},
): void {
  const hasColours = hasEscapes() && output.isTTY === true && (process.env["NO_COLOR"] ?? "") === "";
  const before = hasEscapes() ? `${RESET}${isAnew ? CLEAR : "\r\n"}` : "\n";
  output.write(`${before}${rows.map((row) => styled(row, hasColours)).join("\n")} `);
}

/** Calls `act` when the size of the screen changes, until it is disposed. */
export function onResize(output: ScreenOutput, act: () => void): Disposable {
  output.on("resize", act);
  return { [Symbol.dispose]: () => void output.off("resize", act) };
}
