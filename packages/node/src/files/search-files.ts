import { readSync } from "node:fs";
import { ToolFailure } from "@toolkeep/core";
import type { Grant, SearchMatch, SearchQuery } from "@toolkeep/core/ports";
import type { FileBounds } from "./file-bounds.ts";
import { type HeldFile, openHeld } from "./opened-file.ts";
import { EVERY_PATH, relativeGlob } from "./relative-glob.ts";
import { delimited, ripgrep } from "./ripgrep.ts";
import { FOUND_LINES } from "./ripgrep-options.ts";
import { isWanted, ReadablePaths, type SearchedTree, searchedRoot, walkArguments } from "./searched-tree.ts";

interface SearchRequest {
  readonly grant: Grant;
  readonly query: SearchQuery;
  readonly bounds: FileBounds;
}

/** The lines beneath a folder, or in one file, that match, several at a time. Binary files are skipped. */
export async function* searchFiles(request: SearchRequest): AsyncGenerator<readonly SearchMatch[]> {
  const { grant, query, bounds } = request;
  const { limit = Number.POSITIVE_INFINITY, after = 0, hidden = false, all = false } = query;
  const glob = query.glob === undefined ? EVERY_PATH : relativeGlob(anyDepth(query.glob));
  const options = optionsOf(query);
  const tree: SearchedTree = { grant, bounds, glob, hidden, all, ...(await searchedRoot(grant, query.root)) };
  if (limit < 1) return;
  let left = limit;
  for await (const lines of confirmedLines(tree, options)) {
    const matches: SearchMatch[] = [];
    for (const line of lines) {
      // What follows the last match still belongs to it.
      if (left === 0 && !line.isContext) break;
      if (!line.isContext) left -= 1;
      matches.push(matchOf(line, bounds.lineBytes));
      if (left === 0 && after === 0) break;
    }
    yield matches;
    if (left === 0 && (after === 0 || matches.length < lines.length)) return;
  }
}

const LONGEST_PATTERN = 10_000;
const LONGEST_PATH = 4_096;
const MOST_CONTEXT = 1_000;
const NEW_LINE = 10;
/** Digits and the separators between them. */
const NUMBERS = 48;

/** A glob without a slash is about names, wherever they are, as everywhere in the world of ripgrep. */
function anyDepth(glob: string): string {
  return glob.includes("/") ? glob : `**/${glob}`;
}

function optionsOf(query: SearchQuery): readonly string[] {
  const { pattern, before = 0, after = 0, mostPerFile } = query;
  if (pattern === "" || pattern.includes("\0") || pattern.length > LONGEST_PATTERN)
    throw new ToolFailure(
      "invalid_arguments",
      "The pattern is empty, too long, or contains a NUL character.",
    );
  if (![before, after].every((count) => Number.isInteger(count) && count >= 0 && count <= MOST_CONTEXT))
    throw new ToolFailure(
      "invalid_arguments",
      `\`before\` and \`after\` are whole numbers up to ${MOST_CONTEXT}.`,
    );
  if (mostPerFile !== undefined && !(Number.isSafeInteger(mostPerFile) && mostPerFile > 0))
    throw new ToolFailure("invalid_arguments", "`mostPerFile` is a whole number, one or more.");
  return [
    `--before-context=${before}`,
    `--after-context=${after}`,
    query.ignoreCase === true ? "--ignore-case" : "--case-sensitive",
    ...(query.literal === true ? ["--fixed-strings"] : []),
    ...(query.multiline === true ? ["--multiline"] : []),
    ...(mostPerFile === undefined ? [] : [`--max-count=${mostPerFile}`]),
    "-e",
    pattern,
  ];
}

/** What ripgrep found, as far as it is in files that the call may read. The lines of a file come together. */
async function* confirmedLines(
  tree: SearchedTree,
  options: readonly string[],
): AsyncGenerator<readonly FoundLine[]> {
  const { grant, bounds } = tree;
  using texts = new SeenTexts(tree);
  const argv = [...FOUND_LINES, ...options, ...walkArguments(tree)];
  const output = ripgrep({ argv, abortSignal: grant.abortSignal, program: bounds.ripgrepPath });
  const longest = LONGEST_PATH + NUMBERS + bounds.lineBytes;
  for await (const lines of delimited(output, { delimiter: NEW_LINE, longest })) {
    const found = lines.map(foundLine).filter((line) => line !== undefined);
    yield found.filter(({ path, bytes, offset }) => texts.at(path)?.holds(bytes, offset) === true);
  }
}

/** The text of the file that is looked at right now. */
class SeenTexts implements Disposable {
  readonly #tree: SearchedTree;
  readonly #readable: ReadablePaths;
  readonly #scratch = Buffer.allocUnsafeSlow(WINDOW);
  #path: string | undefined;
  #text: SeenText | undefined;

  constructor(tree: SearchedTree) {
    this.#tree = tree;
    this.#readable = new ReadablePaths(tree);
  }

  /** `undefined` for a file that is not looked for, or that the call may not read. */
  at(path: string): SeenText | undefined {
    if (path === this.#path) return this.#text;
    this.#text?.[Symbol.dispose]();
    this.#text = undefined;
    this.#path = path;
    if (!isWanted(path, this.#tree)) return undefined;
    const options = { mostBytes: this.#tree.bounds.readBytes, scratch: this.#scratch };
    this.#text = this.#readable.look(path, (folder, name) => seenText(openHeld(folder, name), options));
    return this.#text;
  }

  [Symbol.dispose](): void {
    this.#text?.[Symbol.dispose]();
    this.#readable[Symbol.dispose]();
  }
}

function matchOf({ path, line, bytes, isContext }: FoundLine, lineBytes: number): SearchMatch {
  const isCut = bytes.length > lineBytes;
  const text = (isCut ? bytes.subarray(0, lineBytes) : bytes).toString("utf8");
  // A character that was cut in two is dropped.
  const shown = isCut ? `${text.replace(/\ufffd$/, "")}…` : text.replace(/\r$/, "");
  return { path, line, text: shown, ...(isContext ? { context: true } : {}) };
}

/** One line that ripgrep wrote, taken apart. */
interface FoundLine {
  readonly path: string;
  readonly line: number;
  /** Where the line begins, in bytes from the beginning of the text. */
  readonly offset: number;
  readonly isContext: boolean;
  readonly bytes: Buffer;
}

const COLON = 58;
const DASH = 45;

/** Reads `path NUL line : offset : text`, with dashes for a line around a match. `undefined` for its remarks. */
function foundLine(bytes: Buffer): FoundLine | undefined {
  const name = bytes.indexOf(0);
  if (name === -1) return undefined;
  const line = numberAt(bytes, name + 1);
  const offset = line && numberAt(bytes, line.end + 1);
  if (line === undefined || offset === undefined) return undefined;
  return {
    path: bytes.toString("utf8", 0, name),
    line: line.value,
    offset: offset.value,
    isContext: bytes[line.end] === DASH,
    bytes: bytes.subarray(offset.end + 1),
  };
}

/** The number that begins there and ends with a colon or a dash. */
function numberAt(
  bytes: Buffer,
  start: number,
): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  let end = start;
  for (; end < bytes.length; end += 1) {
    const digit = (bytes[end] as number) - 48;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  const isEnded = bytes[end] === COLON || bytes[end] === DASH;
  return isEnded && end > start ? { value, end } : undefined;
}

/** The text of one file, as ripgrep counts it: without its byte order mark, and in UTF-8. */
interface SeenText extends Disposable {
  /** Whether the text has these bytes at an offset. */
  holds(bytes: Buffer, offset: number): boolean;
}

interface SeenTextOptions {
  /** Of a text that must be decoded, so many bytes are looked at. */
  readonly mostBytes: number;
  /** To read into. No other text may use it until this one is disposed of. */
  readonly scratch: Buffer;
}

/** How large a scratch should be. */
const WINDOW = 65_536;

/**
 * Verifies that what was found in a file is there. Ripgrep goes by names, and a folder may become a link meanwhile;
 * what is shown must be in the file that a descriptor refers to. Closes the file in the end.
 */
function seenText(file: HeldFile, { mostBytes, scratch }: SeenTextOptions): SeenText {
  try {
    const { descriptor } = file;
    const head = scratch.subarray(0, readSync(descriptor, scratch, 0, scratch.length, 0));
    const encoding = WIDE[head.toString("hex", 0, 2)];
    const source =
      encoding === undefined
        ? windowOn(descriptor, { scratch, head, shift: head.toString("hex", 0, 3) === "efbbbf" ? 3 : 0 })
        : decoded(descriptor, Math.min(file.size, mostBytes), encoding);
    return {
      holds: (bytes, offset) => source(offset, bytes.length).equals(bytes),
      [Symbol.dispose]: () => file[Symbol.dispose](),
    };
  } catch (error) {
    file[Symbol.dispose]();
    throw error;
  }
}

const WIDE: Readonly<Record<string, "utf-16le" | "utf-16be">> = { fffe: "utf-16le", feff: "utf-16be" };

type Slice = (offset: number, length: number) => Buffer;

interface FirstLook {
  readonly scratch: Buffer;
  /** What the file begins with, in the scratch. */
  readonly head: Buffer;
  /** How many bytes are before the text. */
  readonly shift: number;
}

/** Matches come in order: one read serves many. */
function windowOn(descriptor: number, { scratch, head, shift }: FirstLook): Slice {
  let start = 0;
  let window = head;
  return (offset, length) => {
    const from = offset + shift;
    if (from < start || from + length > start + window.length) {
      const bytes = length > scratch.length ? Buffer.allocUnsafe(length) : scratch;
      window = bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, from));
      start = from;
    }
    return window.subarray(from - start, from - start + length);
  };
}

function decoded(descriptor: number, size: number, encoding: "utf-16le" | "utf-16be"): Slice {
  const bytes = Buffer.allocUnsafe(size);
  const filled = readSync(descriptor, bytes, 0, size, 0);
  const text = Buffer.from(new TextDecoder(encoding).decode(bytes.subarray(0, filled)));
  return (offset, length) => text.subarray(offset, offset + length);
}
