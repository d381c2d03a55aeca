/** An entry of a repository's index. */
interface IndexEntry {
  /** Relative to the worktree, one character for each byte. */
  readonly path: string;
  /** Another repository, which git enters to see whether it has changed. */
  readonly isRepository: boolean;
}

export interface GitIndex {
  readonly entries: readonly IndexEntry[];
  /** More entries stand in a shared file beside it (`git update-index --split-index`). */
  readonly isSplit: boolean;
}

const LONGEST_NAMED = 0xfff;
const IS_EXTENDED = 0x4000;
const KIND = 0xf000;
const GITLINK = 0xe000;

/** The kernel takes no longer one. */
const LONGEST_PATH = 4_096;
/** Of all names together: those of the fourth version share their beginnings, and can be far longer than the file. */
const MOST_OF_NAMES = 2 ** 27;

/**
 * Reads the names in an index as git does. `undefined` for what cannot be read in one way only.
 * https://git-scm.com/docs/index-format
 */
export function readGitIndex(bytes: Buffer, hashBytes: 20 | 32): GitIndex | undefined {
  try {
    const read = readEntries(bytes, hashBytes);
    const extensions = read === undefined ? undefined : readExtensions(bytes, read, hashBytes);
    if (read === undefined || extensions === undefined) return undefined;
    return { entries: read.entries, isSplit: extensions.includes("link") };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

interface ReadEntries {
  readonly entries: readonly IndexEntry[];
  /** Where each of them begins. */
  readonly offsets: ReadonlySet<number>;
  readonly end: number;
}

function readEntries(bytes: Buffer, hashBytes: number): ReadEntries | undefined {
  const version = bytes.readUInt32BE(4);
  if (bytes.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) return undefined;
  const count = bytes.readUInt32BE(8);
  const entries: IndexEntry[] = [];
  const offsets = new Set<number>();
  let at = 12;
  let path = "";
  let length = 0;
  for (let index = 0; index < count; index += 1) {
    offsets.add(at);
    const mode = bytes.readUInt32BE(at + 24);
    const flags = bytes.readUInt16BE(at + 40 + hashBytes);
    const name = at + 42 + hashBytes + ((flags & IS_EXTENDED) === 0 ? 0 : 2);
    const read = version === 4 ? compressedName(bytes, name, path) : plainName(bytes, { at, name, flags });
    if (read === undefined || read.path.length > LONGEST_PATH) return undefined;
    path = read.path;
    length += path.length;
    if (length > MOST_OF_NAMES) return undefined;
    at = read.end;
    entries.push({ path, isRepository: (mode & KIND) === GITLINK });
  }
  return { entries, offsets, end: at };
}

interface ReadName {
  readonly path: string;
  readonly end: number;
}

/** Its length is said, and it is filled up with zeros to a multiple of eight. */
function plainName(
  bytes: Buffer,
  { at, name, flags }: { readonly at: number; readonly name: number; readonly flags: number },
): ReadName | undefined {
  const said = flags & LONGEST_NAMED;
  const length = said < LONGEST_NAMED ? said : bytes.indexOf(0, name) - name;
  const path = bytes.toString("latin1", name, name + length);
  if (length < 0 || path.length !== length || path.includes("\0")) return undefined;
  return { path, end: at + ((name - at + length + 8) & ~7) };
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
  }
  const end = bytes.indexOf(0, at + 1);
  if (end === -1 || less > before.length) return undefined;
  return {
    path: before.slice(0, before.length - less) + bytes.toString("latin1", at + 1, end),
    end: end + 1,
  };
}

/**
 * The names of the extensions. `undefined` where one that says where entries or extensions begin, for those that read
 * in parallel, says anything else than the order does.
 */
function readExtensions(
  bytes: Buffer,
  { offsets, end }: ReadEntries,
  hashBytes: number,
): readonly string[] | undefined {
  const last = bytes.length - hashBytes;
  const shortcut = last - (8 + 4 + hashBytes);
  if (shortcut >= 12 && bytes.toString("latin1", shortcut, shortcut + 4) === "EOIE")
    if (bytes.readUInt32BE(shortcut + 8) !== end) return undefined;
  const names: string[] = [];
  let at = end;
  while (at + 8 <= last) {
    const name = bytes.toString("latin1", at, at + 4);
    const size = bytes.readUInt32BE(at + 4);
    if (name === "IEOT")
      for (let block = at + 12; block < at + 8 + size; block += 8)
        if (!offsets.has(bytes.readUInt32BE(block))) return undefined;
    names.push(name);
    at += 8 + size;
  }
  return at === last ? names : undefined;
}
