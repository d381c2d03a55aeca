import type { StructuredPatchHunk } from "diff";
import type { Span } from "./match-linearly.ts";
import type { Change, Replaced } from "./replace-matches.ts";
import type { SearchedText } from "./searched-text.ts";
import { shownText } from "./text-form.ts";

const CONTEXT = 3;
const MOST_BYTES = 64_000;
const LONGEST_TEXT = 1_000_000;
/** Texts that differ in more than this are shown one after the other. */
const MOST_DIFFERENCES = { maxEditLength: 1_000, timeout: 100 };

/** The diff shown to the user; `undefined` if it is too long to read. */
export async function diffTexts(path: string, before: string, after: string): Promise<string | undefined> {
  if (before.length + after.length > LONGEST_TEXT) return undefined;
  const diff = await inHunks(path, await hunksOf(before, after));
  return diff.length > MOST_BYTES ? undefined : diff;
}

/** The same for changes at known positions: only the lines around them are compared. */
export async function diffChanges(
  path: string,
  before: SearchedText,
  { bytes: after, changes }: Replaced,
): Promise<string | undefined> {
  const hunks: StructuredPatchHunk[] = [];
  let remaining = MOST_BYTES;
  let shift = 0;
  for (const window of windowsOf(before, changes)) {
    remaining -= window.end - window.start + window.newEnd - window.newStart;
    if (remaining < 0) return hunks.length === 0 ? undefined : `${await inHunks(path, hunks)}…\n`;
    const lines = before.lineAt(window.start) - 1;
    const old = shownText(before.bytes.subarray(window.start, window.end));
    const fresh = shownText(after.subarray(window.newStart, window.newEnd));
    for (const hunk of await hunksOf(old, fresh))
      hunks.push({ ...hunk, oldStart: hunk.oldStart + lines, newStart: hunk.newStart + lines + shift });
    shift += fresh.split("\n").length - old.split("\n").length;
  }
  return inHunks(path, hunks);
}

/** The changes with their surrounding lines; changes close to each other are merged. */
function* windowsOf(text: SearchedText, changes: readonly Change[]): Generator<Change> {
  let open: Change | undefined;
  for (const change of changes) {
    const { start, end } = withContext(text, change);
    const next: Change = {
      start,
      end,
      newStart: change.newStart - (change.start - start),
      newEnd: change.newEnd + (end - change.end),
    };
    if (open !== undefined && start > open.end) {
      yield open;
      open = undefined;
    }
    open = open === undefined ? next : { ...open, end: next.end, newEnd: next.newEnd };
    // Beyond what is shown it need not grow.
    if (open.end - open.start > MOST_BYTES) return yield open;
  }
  if (open !== undefined) yield open;
}

function withContext(text: SearchedText, { start, end }: Span): Span {
  let from = text.startOfLine(start);
  let to = text.endOfLine(end);
  for (let line = 0; line < CONTEXT; line += 1) {
    from = text.startOfLine(Math.max(from - 1, 0));
    to = text.endOfLine(to);
  }
  return { start: from, end: to };
}

async function hunksOf(before: string, after: string): Promise<readonly StructuredPatchHunk[]> {
  const { structuredPatch } = await import("diff");
  const patch = structuredPatch("", "", before, after, undefined, undefined, {
    context: CONTEXT,
    ...MOST_DIFFERENCES,
  });
  return patch?.hunks ?? [wholeHunk(before, after)];
}

function wholeHunk(before: string, after: string): StructuredPatchHunk {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  return {
    oldStart: 1,
    oldLines: old.length,
    newStart: 1,
    newLines: fresh.length,
    lines: [...old.map((line) => `-${line}`), ...fresh.map((line) => `+${line}`)],
  };
}

function linesOf(text: string): readonly string[] {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

async function inHunks(path: string, hunks: readonly StructuredPatchHunk[]): Promise<string> {
  const { FILE_HEADERS_ONLY, formatPatch } = await import("diff");
  const names = { oldFileName: path, newFileName: path, oldHeader: undefined, newHeader: undefined };
  return formatPatch({ ...names, hunks: [...hunks] }, FILE_HEADERS_ONLY);
}
