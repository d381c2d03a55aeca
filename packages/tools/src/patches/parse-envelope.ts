import { badPatch, endedLine, type FilePatch, type Hunk, type HunkLine, textOf } from "./file-patch.ts";

const BEGIN = "*** Begin Patch";
const END = "*** End Patch";
const END_OF_FILE = "*** End of File";
const HEADER = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const MOVE = /^\*\*\* Move to: (.+)$/;

/** Whether the text is a patch between `*** Begin Patch` and `*** End Patch`. */
export function isEnvelope(lines: readonly string[]): boolean {
  return lines.find((line) => line.trim() !== "")?.trimEnd() === BEGIN;
}

/** Reads a patch between `*** Begin Patch` and `*** End Patch`. @throws ToolFailure if it is incomplete or unclear. */
export function parseEnvelope(lines: readonly string[]): readonly FilePatch[] {
  const patches: FilePatch[] = [];
  let at = lines.findIndex((line) => line.trimEnd() === BEGIN) + 1;
  for (;;) {
    const line = lines[at]?.trimEnd();
    if (line === undefined) throw badPatch(lines.length, `is its last, and no "${END}" was found`);
    if (line === END) break;
    if (line === "") {
      at += 1;
      continue;
    }
    const [, kind = "", path = ""] = HEADER.exec(line) ?? [];
    if (kind === "") throw badPatch(at + 1, `is not "*** Add File: …", "*** Update File: …" or "${END}"`);
    const end = endOfSection(lines, at + 1);
    patches.push(SECTIONS[kind as keyof typeof SECTIONS](path.trim(), { lines, start: at + 1, end }));
    at = end;
  }
  const more = lines.findIndex((line, index) => index > at && line.trim() !== "");
  if (more !== -1) throw badPatch(more + 1, `follows "${END}"`);
  return patches;
}

/** The lines of a patch that are about one file. */
interface Section {
  readonly lines: readonly string[];
  readonly start: number;
  readonly end: number;
}

/** Every line of a file begins with a mark, so that no line of a file is taken for a header. */
function endOfSection(lines: readonly string[], start: number): number {
  const end = lines.findIndex(
    (line, index) => index >= start && (HEADER.test(line.trimEnd()) || line.trimEnd() === END),
  );
  return end === -1 ? lines.length : end;
}

const SECTIONS = {
  Add: addedFile,
  Update: updatedFile,
  Delete: deletedFile,
} as const satisfies Record<string, (path: string, section: Section) => FilePatch>;

function addedFile(path: string, { lines, start, end }: Section): FilePatch {
  const body = withoutBlankEnd(lines.slice(start, end));
  const wrong = body.findIndex((line) => !line.startsWith("+"));
  if (wrong !== -1) throw badPatch(start + wrong + 1, 'is part of a new file and does not begin with "+"');
  return { kind: "add", path, content: textOf(body.map(lineOf)) };
}

function deletedFile(path: string, { lines, start, end }: Section): FilePatch {
  const more = withoutBlankEnd(lines.slice(start, end));
  if (more.length > 0) throw badPatch(start + 1, "follows a file that is deleted, and is not a header");
  return { kind: "delete", path, hunks: [] };
}

function updatedFile(path: string, { lines, start, end }: Section): FilePatch {
  const movedTo = MOVE.exec(lines[start]?.trimEnd() ?? "")?.[1]?.trim();
  const hunks = hunksOf({ lines, start: movedTo === undefined ? start : start + 1, end });
  if (hunks.length === 0 && movedTo === undefined) throw badPatch(start, "names a file and changes nothing");
  return { kind: "update", path, hunks, ...(movedTo === undefined ? {} : { movedTo }) };
}

function hunksOf({ lines, start, end }: Section): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let open: { patchLine: number; anchors: string[]; body: string[]; atEnd: boolean } | undefined;
  const close = () => {
    if (open === undefined) return;
    const { body, ...hunk } = open;
    const read = withoutBlankEnd(body).map(lineOf);
    if (read.length === 0) throw badPatch(open.patchLine, "begins a part without lines");
    hunks.push({ ...hunk, lines: read });
    open = undefined;
  };
  for (let at = start; at < end; at += 1) {
    const line = lines[at] ?? "";
    const anchor = /^@@(?: (.*))?$/.exec(line.trimEnd());
    if (anchor !== null && (open === undefined || open.body.length > 0)) close();
    if (line.trimEnd() === END_OF_FILE && open !== undefined) {
      open.atEnd = true;
      close();
      continue;
    }
    if (line === "" && open === undefined) continue;
    open ??= { patchLine: at + 1, anchors: [], body: [], atEnd: false };
    if (anchor === null) open.body.push(marked(line, at));
    else if (anchor[1] !== undefined) open.anchors.push(anchor[1]);
  }
  close();
  return hunks;
}

function marked(line: string, at: number): string {
  if (line === "" || /^[ +-]/.test(line)) return line;
  throw badPatch(at + 1, 'does not begin with " ", "-", "+" or "@@"');
}

/** Empty lines before the next header separate; within a hunk they are lines without their blank. */
export function withoutBlankEnd(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => line !== "");
  return lines.slice(0, last + 1);
}

export function lineOf(line: string): HunkLine {
  return { mark: (line[0] ?? " ") as HunkLine["mark"], ...endedLine(line.slice(1)) };
}
