import { ToolFailure } from "@toolkeep/core";
import { newMark } from "@toolkeep/core/internal";
import type { Span } from "./match-linearly.ts";
import { nearestLines } from "./nearest-lines.ts";
import type { SearchedText } from "./searched-text.ts";
import { shownText } from "./text-form.ts";

/** `old_string` was not found: shows the most similar lines. */
export function missing(path: string, { bytes }: SearchedText, wanted: string): ToolFailure {
  const directories = nearestLines(shownText(bytes), wanted.replaceAll("\r\n", "\n"));
  const shown = directories.map(({ line, lines }) =>
    lines.map((text, index) => numbered(line + index, text)).join("\n"),
  );
  const near = shown.length === 0 ? "" : ` The most similar text:\n${shown.join("\n…\n")}\n`;
  const hint = NUMBERED.test(wanted)
    ? "Leave out the line numbers that `read` shows before each line."
    : directories.some(({ differsInSpace }) => differsInSpace)
      ? "Only white space differs: copy it exactly, with its indentation."
      : "Read the file and copy the text exactly.";
  return new ToolFailure("conflict", `The text to replace was not found in ${JSON.stringify(path)}.${near}`, {
    hint,
  });
}

export interface Ambiguity {
  readonly path: string;
  readonly text: SearchedText;
  readonly matches: readonly Span[];
  /** The search stopped at this many matches. */
  readonly most: number;
}

/** `old_string` was found more than once: shows where. */
export function ambiguous({ path, text, matches, most }: Ambiguity): ToolFailure {
  const count = matches.length < most ? `${matches.length} times` : `at least ${most} times`;
  const lines = matches.map(({ start }) => numbered(text.lineAt(start), shownLine(text, start)));
  return new ToolFailure(
    "conflict",
    `The text to replace occurs in ${JSON.stringify(path)} ${count}:\n${lines.join("\n")}\n`,
    { hint: "Add more of the surrounding lines to make it unique, or set `replace_all`." },
  );
}

/**
 * What a session is shown has marks in place of secrets. One that is written back would replace the secret itself.
 * `before` is the file as it was; missing where it was seen in part.
 */
export function refuseMarks(path: string, text: string, before: string | undefined): void {
  const mark = newMark(text, before ?? "");
  if (mark === undefined) return;
  throw new ToolFailure(
    "conflict",
    `The text has ${mark}, which stands for a secret of ${JSON.stringify(path)} that was not shown. Written back, it would replace the secret.`,
    { hint: "Use `edit`, with an `old_string` and a `new_string` that leave out the line with the mark." },
  );
}

const LONGEST_LINE = 200;
const NUMBERED = /^ *\d+\t/;

function numbered(line: number, text: string): string {
  const shown = text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text;
  return `${String(line).padStart(6)}\t${shown}`;
}

function shownLine(text: SearchedText, at: number): string {
  const start = text.startOfLine(at);
  // More bytes than the characters that are shown can take.
  const end = Math.min(text.endOfLine(at), start + LONGEST_LINE * 4);
  return shownText(text.bytes.subarray(start, end)).replace(/\r?\n?$/, "");
}
