import { ToolFailure } from "@toolkeep/core";
import { badPatch, type FilePatch, type Hunk, type HunkLine, textOf } from "./file-patch.ts";
import { lineOf, withoutBlankEnd } from "./parse-envelope.ts";

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const LOOSE_HUNK = /^@@(?: (.*))?$/;
const UNENDED = /^\\ /;
const NOTHING = "/dev/null";

/**
 * Reads a unified diff, with the headers of git where it has them. The number of lines in the header of a hunk may be
 * wrong: its lines count.
 * @throws ToolFailure for one that is not understood, or changes what is not a text.
 */
export function parseUnified(lines: readonly string[]): readonly FilePatch[] {
  const files: OpenFile[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    const file = files.at(-1);
    if (line.startsWith("diff --git ")) files.push(gitFile(line, at));
    else if (isFileHeader(lines, at)) {
      const named = { old: nameIn(line), fresh: nameIn(lines[at + 1] ?? "") };
      if (file?.isGit === true && file.names === undefined) file.names = named;
      else files.push({ isGit: false, headers: [], names: named, hunks: [], line: at + 1 });
      at += 2;
      continue;
    } else if (file !== undefined && LOOSE_HUNK.test(line.trimEnd())) {
      const { hunk, end } = readHunk(lines, at);
      file.hunks.push(hunk);
      at = end;
      continue;
    } else if (file?.isGit === true && file.hunks.length === 0) file.headers.push(line);
    else if (file !== undefined && file.hunks.length > 0 && /^[+-](?!-? ?$)/.test(line))
      throw badPatch(at + 1, "is outside of every hunk");
    at += 1;
  }
  return files.map(patchOf);
}

interface OpenFile {
  readonly isGit: boolean;
  /** From `---` and `+++`. */
  names?: Names;
  /** From `diff --git`, where both are the same. */
  readonly name?: string;
  readonly headers: string[];
  readonly hunks: Hunk[];
  /** Where the file begins in the patch. */
  readonly line: number;
}

interface Names {
  readonly old: string;
  readonly fresh: string;
}

function gitFile(line: string, at: number): OpenFile {
  const rest = line.slice("diff --git ".length).trimEnd();
  const half = (rest.length - 1) / 2;
  const [old, fresh] = [unquoted(rest.slice(0, half)), unquoted(rest.slice(half + 1))];
  const isSame = Number.isInteger(half) && old.slice(2) === fresh.slice(2);
  return {
    isGit: true,
    headers: [],
    hunks: [],
    line: at + 1,
    ...(isSame ? { name: old.slice(2) } : {}),
  };
}

function isFileHeader(lines: readonly string[], at: number): boolean {
  return (lines[at]?.startsWith("--- ") ?? false) && (lines[at + 1]?.startsWith("+++ ") ?? false);
}

/** Without the time that may follow. */
function nameIn(line: string): string {
  const name = line.slice(4).trimEnd();
  return name.startsWith('"') ? unquoted(name) : (name.split("\t", 1)[0] ?? "");
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" },
};

/** A name that git put in quotes: bytes that are not plain are octal. */
function unquoted(name: string): string {
  const inner = /^"(.*)"$/s.exec(name)?.[1];
  if (inner === undefined) return name;
  const narrow = inner.replaceAll(/\\([0-7]{3}|.)/g, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (ESCAPES[code] ?? code),
  );
  // Octal bytes and characters that were left as they are do not occur together.
  if (/[^\0-\xff]/.test(narrow)) return narrow;
  return new TextDecoder().decode(Uint8Array.from(narrow, (character) => character.charCodeAt(0)));
}

/** Consumes at least as many lines as the header counts, and those that follow without a header of their own. */
function readHunk(lines: readonly string[], start: number): { readonly hunk: Hunk; readonly end: number } {
  const counted = HUNK.exec(lines[start] ?? "");
  let old = counted === null ? 0 : Number(counted[2] ?? 1);
  let fresh = counted === null ? 0 : Number(counted[4] ?? 1);
  const body: HunkLine[] = [];
  let at = start + 1;
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const isCounted = old > 0 || fresh > 0;
    if (UNENDED.test(line)) {
      const last = body.pop();
      if (last !== undefined) body.push(unended(last));
      continue;
    }
    if (isCounted ? !/^[ +-]|^$/.test(line) : !continues(lines, at)) break;
    const read = lineOf(line);
    if (read.mark !== "+") old -= 1;
    if (read.mark !== "-") fresh -= 1;
    body.push(read);
  }
  // Empty lines that the header does not count separate.
  const read =
    old > 0 || fresh > 0 ? body.slice(0, withoutBlankEnd(lines.slice(start + 1, at)).length) : body;
  if (read.length === 0) throw badPatch(start + 1, "begins a hunk without lines");
  const anchor = counted === null ? LOOSE_HUNK.exec(lines[start]?.trimEnd() ?? "")?.[1] : undefined;
  const hunk: Hunk = {
    patchLine: start + 1,
    lines: read,
    anchors: anchor === undefined || /^[.\s@]*$/.test(anchor) ? [] : [anchor],
    atEnd: false,
    ...(counted === null ? {} : { position: { old: Number(counted[1]), fresh: Number(counted[3]) } }),
  };
  return { hunk, end: at };
}

/** What looked like the ending of Windows is a part of a line that has none. */
function unended(line: HunkLine): HunkLine {
  return { ...line, text: `${line.text}${line.ending.slice(0, -1)}`, ending: "" };
}

/** A line of a hunk whose header counts fewer; `-- ` ends a patch that was mailed. */
function continues(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? "";
  return /^[ +-]/.test(line) && !isFileHeader(lines, at) && !/^--\s?$/.test(line);
}

const NO_TEXT = /^(?:GIT binary patch|Binary files )/;
const NO_FILE = /^(?:new|deleted) file mode (?!100)|^(?:old|new) mode (?!100)/;

function patchOf(file: OpenFile): FilePatch {
  const { headers, hunks, line } = file;
  if (headers.some((header) => NO_TEXT.test(header)))
    throw badPatch(line, "changes a file that is not a text");
  if (headers.some((header) => NO_FILE.test(header))) throw badPatch(line, "changes a link or a submodule");
  if (headers.some((header) => header.startsWith("copy from "))) throw badPatch(line, "copies a file");
  const { old, fresh } = namesOf(file);
  const mode = headers.some((header) => /^(?:new mode|new file mode 100755)/.test(header));
  const setsMode = mode ? { setsMode: true as const } : {};
  if (old === NOTHING && fresh === NOTHING) throw badPatch(line, "names no file");
  if (old === NOTHING) return { kind: "add", path: fresh, content: contentOf(hunks), ...setsMode };
  if (fresh === NOTHING) return { kind: "delete", path: old, hunks };
  const movedTo = old === fresh ? {} : { movedTo: fresh };
  if (hunks.length === 0 && old === fresh) throw badPatch(line, "names a file and changes nothing");
  return { kind: "update", path: old, hunks, ...movedTo, ...setsMode };
}

function contentOf(hunks: readonly Hunk[]): string {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const wrong = lines.find(({ mark }) => mark !== "+");
  if (wrong !== undefined) throw badPatch(hunks[0]?.patchLine ?? 1, "changes lines of a file that is new");
  return textOf(lines);
}

/** The paths that a file has before and after. */
function namesOf({ names, name, headers, line }: OpenFile): Names {
  const header = (start: string) => {
    const found = headers.find((one) => one.startsWith(start));
    return found === undefined ? undefined : unquoted(found.slice(start.length).trimEnd());
  };
  const [from, to] = [header("rename from "), header("rename to ")];
  if (from !== undefined && to !== undefined) return { old: from, fresh: to };
  if (names !== undefined) return withoutPrefixes(names);
  if (name === undefined) throw badPatch(line, "does not say which file it is about");
  const isNew = headers.some((one) => one.startsWith("new file mode"));
  const isGone = headers.some((one) => one.startsWith("deleted file mode"));
  return { old: isNew ? NOTHING : name, fresh: isGone ? NOTHING : name };
}

/** Git puts `a/` and `b/` before the names of both sides. */
function withoutPrefixes({ old, fresh }: Names): Names {
  const isPrefixed = (old === NOTHING || /^a\/./.test(old)) && (fresh === NOTHING || /^b\/./.test(fresh));
  if (!isPrefixed) return { old, fresh };
  return { old: old === NOTHING ? old : old.slice(2), fresh: fresh === NOTHING ? fresh : fresh.slice(2) };
}

/** For a text that is no patch at all. */
export function noPatch(): ToolFailure {
  return new ToolFailure(
    "invalid_arguments",
    'The text is no patch: it must begin with "*** Begin Patch", or be a unified diff with "--- a/path" and "+++ b/path".',
  );
}
