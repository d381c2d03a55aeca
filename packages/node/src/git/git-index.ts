/** An entry of a repository's index. */
interface IndexEntry {
  /** Relative to the worktree, one character for each byte. */
  readonly path: string;
  /** Another repository, which git enters to see whether it has changed. */
  readonly isRepository: boolean;
}

export interface GitIndex {
  readonly entries: readonly IndexEntry[];
  /** Where each entry begins in the bytes. */
  readonly positions: readonly number[];
  /** More entries are in a shared file next to it (`git update-index --split-index`). */
  readonly isSplit: boolean;
  /** Where the extension begins that says what the shared file is, and what of it is replaced. */
  readonly splitAt?: number;
}

const LONGEST_NAMED = 0xfff;
/** The kernel takes no longer one. */
const LONGEST_PATH = 4_096;
const IS_EXTENDED = 0x4000;
/** To be added later, and not in the worktree: git has no others. */
const EXTENDED_FLAGS = 0x6000;
const STAGE = 0x3000;

const GITLINK = 0o160000;
const SPARSE_FOLDER = 0o040000;
const MODES: ReadonlySet<number> = new Set([0o100644, 0o100755, 0o120000, GITLINK, SPARSE_FOLDER]);

/** Of all names together: those of the fourth version share their beginnings, and can be far longer than the file. */
const MOST_OF_NAMES = 2 ** 27;

/**
 * Reads the names in an index. `undefined` for what git would not have written: git itself believes one of two
 * positions that contain the same, and which of them depends on its version and on how many threads it reads with.
 * https://git-scm.com/docs/index-format
 */
export function readGitIndex(bytes: Buffer, hashBytes: 20 | 32): GitIndex | undefined {
  try {
    const read = readEntries(bytes, hashBytes);
    const extensions = read === undefined ? undefined : readExtensions(bytes, read, hashBytes);
    if (read === undefined || extensions === undefined) return undefined;
    const link = extensions.find(({ name }) => name === "link");
    const isSparse = extensions.some(({ name }) => name === "sdir");
    if (!isInOrder(read.entries, { isSplit: link !== undefined, isSparse })) return undefined;
    return {
      entries: read.entries.map(({ path, mode }) => ({ path, isRepository: mode === GITLINK })),
      positions: read.entries.map(({ at }) => at),
      isSplit: link !== undefined,
      ...(link === undefined ? {} : { splitAt: link.at }),
    };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

interface ReadEntry {
  readonly path: string;
  readonly mode: number;
  readonly stage: number;
  /** Where it begins. */
  readonly at: number;
  /** Whether its name does not depend on the name before. */
  readonly isWhole: boolean;
}

interface ReadEntries {
  readonly entries: readonly ReadEntry[];
  readonly end: number;
}

function readEntries(bytes: Buffer, hashBytes: number): ReadEntries | undefined {
  const version = bytes.readUInt32BE(4);
  if (bytes.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) return undefined;
  const count = bytes.readUInt32BE(8);
  const entries: ReadEntry[] = [];
  let at = 12;
  let before = "";
  let length = 0;
  for (let index = 0; index < count; index += 1) {
    const mode = bytes.readUInt32BE(at + 24);
    const flagsAt = at + 40 + hashBytes;
    const flags = bytes.readUInt16BE(flagsAt);
    const isExtended = (flags & IS_EXTENDED) !== 0;
    if (isExtended && (version === 2 || (bytes.readUInt16BE(flagsAt + 2) & ~EXTENDED_FLAGS) !== 0))
      return undefined;
    const start = flagsAt + (isExtended ? 4 : 2);
    const name = version === 4 ? compressedName(bytes, start, before) : plainName(bytes, { at, start });
    if (name === undefined || Math.min(name.path.length, LONGEST_NAMED) !== (flags & LONGEST_NAMED))
      return undefined;
    entries.push({ path: name.path, mode, stage: flags & STAGE, at, isWhole: name.isWhole });
    before = name.path;
    length += before.length;
    if (length > MOST_OF_NAMES) return undefined;
    at = name.end;
  }
  return { entries, end: at };
}

interface ReadName {
  readonly path: string;
  readonly isWhole: boolean;
  readonly end: number;
}

/** It is filled up with zeros, one at least, to a multiple of eight. */
function plainName(
  bytes: Buffer,
  { at, start }: { readonly at: number; readonly start: number },
): ReadName | undefined {
  const stop = bytes.indexOf(0, start);
  if (stop === -1 || stop - start > LONGEST_PATH) return undefined;
  const end = at + ((stop - at + 8) & ~7);
  for (let index = stop; index < end; index += 1) if (bytes.readUInt8(index) !== 0) return undefined;
  return { path: bytes.toString("latin1", start, stop), isWhole: true, end };
}

/** So many letters less of the name before, and then these. */
function compressedName(bytes: Buffer, start: number, before: string): ReadName | undefined {
  let at = start;
  let byte = bytes.readUInt8(at);
  let less = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    at += 1;
    byte = bytes.readUInt8(at);
    less = (less + 1) * 128 + (byte & 0x7f);
    if (less > LONGEST_PATH) return undefined;
  }
  const stop = bytes.indexOf(0, at + 1);
  if (stop === -1 || less > before.length) return undefined;
  const path = before.slice(0, before.length - less) + bytes.toString("latin1", at + 1, stop);
  if (path.length > LONGEST_PATH) return undefined;
  return { path, isWhole: less === before.length, end: stop + 1 };
}

/**
 * Names rise, and so do the stages of one that is in conflict. In an index that is split, the entries that replace
 * others come first and have no name; one for another repository would make one of any name there is.
 */
function isInOrder(
  entries: readonly ReadEntry[],
  { isSplit, isSparse }: { readonly isSplit: boolean; readonly isSparse: boolean },
): boolean {
  let last: ReadEntry | undefined;
  for (const entry of entries) {
    const { path, mode, stage } = entry;
    if (!MODES.has(mode) || (mode === SPARSE_FOLDER) !== path.endsWith("/")) return false;
    if (mode === SPARSE_FOLDER && !isSparse) return false;
    if (path === "" && (!isSplit || mode === GITLINK)) return false;
    if (last !== undefined && !(path === "" && last.path === "") && path <= last.path) {
      if (path !== last.path || last.stage === 0 || stage <= last.stage) return false;
    }
    last = entry;
  }
  return true;
}

interface Extension {
  readonly name: string;
  /** Where its content begins. */
  readonly at: number;
}

/**
 * The extensions, in their order. `undefined` if one that records where entries or extensions begin, for parallel reading,
 * differs from the actual order.
 */
function readExtensions(
  bytes: Buffer,
  read: ReadEntries,
  hashBytes: number,
): readonly Extension[] | undefined {
  const { entries, end } = read;
  const last = bytes.length - hashBytes;
  const shortcut = last - (8 + 4 + hashBytes);
  if (shortcut >= 12 && bytes.toString("latin1", shortcut, shortcut + 4) === "EOIE")
    if (bytes.readUInt32BE(shortcut + 8) !== end) return undefined;
  const extensions: Extension[] = [];
  let at = end;
  while (at + 8 <= last) {
    const name = bytes.toString("latin1", at, at + 4);
    const size = bytes.readUInt32BE(at + 4);
    if (name === "IEOT") {
      const isSecond = extensions.some((one) => one.name === name);
      if (isSecond || !areBlocks(bytes.subarray(at + 8, at + 8 + size), entries)) return undefined;
    }
    extensions.push({ name, at: at + 8 });
    at += 8 + size;
  }
  return at === last ? extensions : undefined;
}

/** Where each block of entries begins, and how many are in it: all of them, one block after the other. */
function areBlocks(table: Buffer, entries: readonly ReadEntry[]): boolean {
  if (table.length % 8 !== 4 || table.readUInt32BE(0) !== 1) return false;
  let index = 0;
  for (let at = 4; at < table.length; at += 8) {
    const count = table.readUInt32BE(at + 4);
    const first = entries[index];
    if (count > 0 && (first?.at !== table.readUInt32BE(at) || !first.isWhole)) return false;
    index += count;
  }
  return index === entries.length;
}
