import { readSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { SearchQuery } from "@toolkeep/core";
import { breaths } from "./breaths.ts";
import type { FoundLine } from "./found-line.ts";
import { type HeldFile, openHeld } from "./held-file.ts";
import { ReadablePaths } from "./readable-paths.ts";
import { isWanted, type SearchedTree } from "./searched-tree.ts";
import { type WalkedFolder, walkTree } from "./walk-tree.ts";

/** Up to here it takes less time than to start a process does. */
const SMALL = { files: 200, entries: 1_000 };
const LARGEST_FILE = 262_144;
const MOST_BYTES = 8_388_608;
/** Past this it is better to give them one after the other. */
const MOST_LINES = 5_000;
/** Ripgrep takes a file for binary by this much of it. */
const LOOKED_AT_FIRST = 65_536;

/**
 * Searches a small tree for a text in this process, and gives what ripgrep would give. `undefined` where that
 * cannot be said: for an expression, a tree that is not small, a file that is large, wide or not all text.
 */
export async function searchSmallTree(
  tree: SearchedTree,
  query: SearchQuery,
): Promise<readonly FoundLine[] | undefined> {
  const text = textOf(query);
  if (text === undefined) return undefined;
  const walked = tree.isFolder ? await walkTree(tree, SMALL) : oneFile(tree);
  if (typeof walked === "string") return undefined;
  const breath = breaths(tree.grant.abortSignal);
  using readable = new ReadablePaths(tree);
  const scratch = Buffer.allocUnsafeSlow(LARGEST_FILE);
  const found: FoundLine[] = [];
  let looked = 0;
  for (const { path: folder, names } of walked) {
    for (const name of names) {
      const path = join(folder, name);
      // What ripgrep writes about such a path cannot be told from what it writes about another one.
      if (path.includes("\n")) continue;
      const bytes = readable.look(path, (held) => bytesOf(openHeld(held, name), scratch));
      looked += bytes?.length ?? 0;
      const isUnclear = bytes === "unclear" || (bytes === undefined && !tree.isFolder);
      if (isUnclear || looked > MOST_BYTES) return undefined;
      for (const line of bytes === undefined ? [] : linesIn(bytes, { path, text, most: query.mostPerFile }))
        if (found.push(line) > MOST_LINES) return undefined;
      const pause = breath.taken();
      if (pause !== undefined) await pause;
    }
  }
  return found;
}

/** A file that was named is searched also if it is binary, which is left to ripgrep. */
function oneFile(tree: SearchedTree): readonly WalkedFolder[] {
  const { root } = tree;
  return isWanted(root, tree) ? [{ path: dirname(root), names: [basename(root)] }] : [];
}

const SPECIAL = /[\\.+*?()|[\]{}^$\n\r]/;

/** The bytes that are looked for, if a search is no more than that. */
function textOf({ pattern, literal, ignoreCase, multiline, before = 0, after = 0 }: SearchQuery) {
  if (ignoreCase === true || multiline === true || before > 0 || after > 0) return undefined;
  if (literal === true ? /[\n\r]/.test(pattern) : SPECIAL.test(pattern)) return undefined;
  return Buffer.from(pattern);
}

/** What a text file holds, without its mark; `undefined` for a binary one. Closes it. */
function bytesOf(opened: HeldFile, scratch: Buffer): Buffer | "unclear" | undefined {
  using file = opened;
  const bytes = scratch.subarray(0, readSync(file.descriptor, scratch, 0, scratch.length, 0));
  if (bytes.length === scratch.length) return "unclear";
  const nul = bytes.indexOf(0);
  if (isWide(bytes) || nul >= LOOKED_AT_FIRST) return "unclear";
  return nul === -1 ? bytes.subarray(hasMark(bytes) ? 3 : 0) : undefined;
}

function isWide([first, second]: Buffer): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

function hasMark([first, second, third]: Buffer): boolean {
  return first === 0xef && second === 0xbb && third === 0xbf;
}

const NEW_LINE = 10;

interface Sought {
  readonly path: string;
  readonly text: Buffer;
  readonly most: number | undefined;
}

/** Copies what it finds: the bytes will be others soon. */
function* linesIn(
  bytes: Buffer,
  { path, text, most = Number.POSITIVE_INFINITY }: Sought,
): Generator<FoundLine> {
  let [line, counted, found] = [1, 0, 0];
  let at = bytes.indexOf(text);
  while (at !== -1 && found < most) {
    const offset = bytes.lastIndexOf(NEW_LINE, at) + 1;
    for (let next = bytes.indexOf(NEW_LINE, counted); next !== -1 && next < offset; line += 1) {
      counted = next + 1;
      next = bytes.indexOf(NEW_LINE, counted);
    }
    const newLine = bytes.indexOf(NEW_LINE, at);
    const end = newLine === -1 ? bytes.length : newLine;
    yield { path, line, offset, isContext: false, bytes: Buffer.from(bytes.subarray(offset, end)) };
    found += 1;
    at = bytes.indexOf(text, end);
  }
}
