import { ToolFailure } from "@toolkeep/core";

/** What a patch does to one file. */
export type FilePatch = AddedFile | DeletedFile | UpdatedFile;

interface AddedFile {
  readonly kind: "add";
  readonly path: string;
  readonly content: string;
  /** The patch asks for permissions of the file, which stay as they are. */
  readonly setsMode?: true;
}

export interface DeletedFile {
  readonly kind: "delete";
  readonly path: string;
  /** What the file must contain; empty where the patch does not say. */
  readonly hunks: readonly Hunk[];
}

export interface UpdatedFile {
  readonly kind: "update";
  readonly path: string;
  readonly movedTo?: string;
  readonly hunks: readonly Hunk[];
  readonly setsMode?: true;
}

/** Lines that belong together, and where they are. */
export interface Hunk {
  /** The number of its first line in the patch, from 1. */
  readonly patchLine: number;
  readonly lines: readonly HunkLine[];
  /** Where a unified diff says it is; missing where it is found by its lines alone. */
  readonly position?: Position;
  /** Lines before it, each after the one before. */
  readonly anchors: readonly string[];
  /** It ends where the file ends. */
  readonly atEnd: boolean;
}

/** The first lines of a hunk, from 1; 0 for a file without lines. */
interface Position {
  readonly old: number;
  readonly fresh: number;
}

/** A line and what ends it; nothing ends a last line without a line ending. */
export interface Line {
  readonly text: string;
  readonly ending: "\n" | "\r\n" | "";
}

export interface HunkLine extends Line {
  readonly mark: " " | "-" | "+";
}

/** The lines that a hunk expects, or those that it leaves. */
export function linesOf({ lines }: Hunk, side: "old" | "new"): readonly HunkLine[] {
  return lines.filter(({ mark }) => mark !== (side === "old" ? "+" : "-"));
}

/** As one text. */
export function textOf(lines: readonly Line[]): string {
  return lines.map(({ text, ending }) => `${text}${ending}`).join("");
}

/** A line that was split off at its `\n`. */
export function endedLine(line: string): Line {
  return line.endsWith("\r") ? { text: line.slice(0, -1), ending: "\r\n" } : { text: line, ending: "\n" };
}

/** A patch that is not understood. */
export function badPatch(line: number, says: string): ToolFailure {
  return new ToolFailure("invalid_arguments", `Line ${line} of the patch ${says}.`);
}
