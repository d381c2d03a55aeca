/** What is wrong with the index of a repository, by the paths in it. */
export interface IndexFaults {
  /** Paths that git itself would never write there: they lead out of the worktree or into its own folder. */
  readonly paths: readonly string[];
  /** Where other repositories are said to be, which git enters to see whether they have changed. */
  readonly repositories: readonly string[];
}

/** Git asks about such names when it adds them, and not when it reads an index that has them. */
const LEADS_ELSEWHERE = /(?:^|\/)(?:\.{1,2}|\.git|git~1)(?:\/|$)|^\/|\/\//i;
const LONGEST_NAMED = 0xfff;
const IS_EXTENDED = 0x4000;
const KIND = 0xf000;
const GITLINK = 0xe000;

/**
 * Reads the names in an index as git does. `undefined` for what cannot be read in one way only.
 * https://git-scm.com/docs/index-format
 */
export function indexFaults(bytes: Buffer, hashBytes: 20 | 32): IndexFaults | undefined {
  try {
    const entries = readEntries(bytes, hashBytes);
    if (entries === undefined || !isReadInOrder(bytes, entries, hashBytes)) return undefined;
    return { paths: entries.paths, repositories: entries.repositories };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

interface Entries extends IndexFaults {
  /** Where each of them begins. */
  readonly offsets: ReadonlySet<number>;
  readonly end: number;
}

function readEntries(bytes: Buffer, hashBytes: number): Entries | undefined {
  const version = bytes.readUInt32BE(4);
  if (bytes.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) return undefined;
  const count = bytes.readUInt32BE(8);
  const found = { paths: [] as string[], repositories: [] as string[], offsets: new Set<number>() };
  let at = 12;
  let path = "";
  for (let index = 0; index < count; index += 1) {
    found.offsets.add(at);
    const mode = bytes.readUInt32BE(at + 24);
    const flags = bytes.readUInt16BE(at + 40 + hashBytes);
    const name = at + 42 + hashBytes + ((flags & IS_EXTENDED) === 0 ? 0 : 2);
    const read = version === 4 ? compressedName(bytes, name, path) : plainName(bytes, { at, name, flags });
    if (read === undefined) return undefined;
    path = read.path;
    at = read.end;
    if ((mode & KIND) === GITLINK) found.repositories.push(path);
    // A folder of a sparse index ends with a slash. An entry of a split index may have no name of its own.
    if (LEADS_ELSEWHERE.test(path)) found.paths.push(path);
  }
  return { ...found, end: at };
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

/** What says where entries or extensions begin, for those that read in parallel, says nothing else than the order does. */
function isReadInOrder(bytes: Buffer, { offsets, end }: Entries, hashBytes: number): boolean {
  const last = bytes.length - hashBytes;
  const shortcut = last - (8 + 4 + hashBytes);
  if (shortcut >= 12 && bytes.toString("latin1", shortcut, shortcut + 4) === "EOIE")
    if (bytes.readUInt32BE(shortcut + 8) !== end) return false;
  let at = end;
  while (at + 8 <= last) {
    const size = bytes.readUInt32BE(at + 4);
    if (bytes.toString("latin1", at, at + 4) === "IEOT")
      for (let block = at + 12; block < at + 8 + size; block += 8)
        if (!offsets.has(bytes.readUInt32BE(block))) return false;
    at += 8 + size;
  }
  return at === last;
}
