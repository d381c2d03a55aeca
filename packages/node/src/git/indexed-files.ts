import { type BigIntStats, lstatSync } from "node:fs";
import { basename, dirname } from "node:path";
import { isProtectedName, isSecretFile } from "@toolkeep/core/internal";
import { versionOf } from "../files/opened-file.ts";
import { holdFolder, type PinnedFolder } from "../files/pinned-folder.ts";
import { readSmallFile } from "../files/read-small-file.ts";
import { type GitIndex, readGitIndex } from "./git-index.ts";
import { splitLink } from "./split-link.ts";

/** What the index of a repository records about one file. */
export interface IndexedFile {
  /** The hash of its content as git keeps it. */
  readonly hash: string;
  /** The size and the time of the file when git last compared it. */
  readonly size: number;
  readonly mtimeNs: bigint;
  /** Git was told not to look at the file (`--assume-unchanged`, `--skip-worktree`). */
  readonly isSkipped: boolean;
}

/** By their paths in the index: one character for each byte. */
export type IndexedFiles = ReadonlyMap<string, readonly IndexedFile[]>;

interface Remembered {
  readonly stamp: string;
  readonly files: IndexedFiles;
}

const remembered = new Map<string, Remembered>();
const MOST_REMEMBERED = 100;
const MOST_BYTES = 2 ** 26;
/** Two changes within one tick of the clock have the same time. */
const RECENT_MS = 1_000;

/**
 * What an index records about the wanted paths, without running git. A path in conflict has several records. Nothing
 * for an index that is missing, or that git would not have written. An index that has not changed is not read again.
 */
export function indexedFiles(index: string, wanted: ReadonlySet<string>): IndexedFiles {
  try {
    using folder = holdFolder(dirname(index));
    const stats = lstatSync(folder.at(basename(index)), { bigint: true, throwIfNoEntry: false });
    if (stats?.isFile() !== true) return new Map();
    const known = remembered.get(index);
    const isKnown = known?.stamp === versionOf(stats);
    if (isKnown && [...wanted].every((path) => known.files.has(path))) return known.files;
    const files = recordsIn(
      folder,
      basename(index),
      new Set([...wanted, ...(isKnown ? known.files.keys() : [])]),
    );
    remember(index, stats, files);
    return files;
  } catch {
    // Gone, closed, or moved away.
    return new Map();
  }
}

const listed = new Map<string, { readonly stamp: string; readonly names: readonly string[] }>();

/**
 * The files with protected names or names of secrets that an index records, as text, and what it is recognized by. Some
 * may be among them that a split index records no more. An index that has not changed is not read again.
 */
export function protectedNamesIn(index: string): {
  readonly stamp: string;
  readonly names: readonly string[];
} {
  try {
    using folder = holdFolder(dirname(index));
    const stats = lstatSync(folder.at(basename(index)), { bigint: true });
    const known = listed.get(index);
    if (known?.stamp === versionOf(stats)) return known;
    const found = { stamp: versionOf(stats), names: namesIn(folder, basename(index)) };
    if (listed.size >= MOST_REMEMBERED) listed.clear();
    if (Date.now() - Number(stats.ctimeMs) > RECENT_MS) listed.set(index, found);
    return found;
  } catch {
    return { stamp: "none", names: [] };
  }
}

function namesIn(folder: PinnedFolder, name: string): readonly string[] {
  const own = readIndex(folder, name);
  if (own === undefined) return [];
  const { splitAt } = own.index;
  const shared = splitAt === undefined ? undefined : splitLink(own.bytes, splitAt, own.hashBytes)?.shared;
  const base = shared === undefined ? undefined : readIndex(folder, `sharedindex.${shared}`);
  const names = [...own.index.entries, ...(base?.index.entries ?? [])].map(({ path }) =>
    Buffer.from(path, "latin1").toString(),
  );
  return [...new Set(names)].filter((one) => one !== "" && (isProtectedName(one) || isSecretFile(one)));
}

function remember(index: string, stats: BigIntStats, files: IndexedFiles): void {
  remembered.delete(index);
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  if (Date.now() - Number(stats.ctimeMs) > RECENT_MS)
    remembered.set(index, { stamp: versionOf(stats), files });
}

function recordsIn(folder: PinnedFolder, name: string, wanted: ReadonlySet<string>): IndexedFiles {
  const found = new Map<string, IndexedFile[]>([...wanted].map((path) => [path, []]));
  const own = readIndex(folder, name);
  const link =
    own?.index.splitAt === undefined ? undefined : splitLink(own.bytes, own.index.splitAt, own.hashBytes);
  if (own === undefined || (own.index.isSplit && link === undefined)) return found;
  const shared = link?.shared === undefined ? undefined : readIndex(folder, `sharedindex.${link.shared}`);
  // The entries without names replace shared ones, in their order.
  let replacing = 0;
  for (const [at, { path }] of shared?.index.entries.entries() ?? []) {
    if (link?.deleted[at] === 1) continue;
    const isReplaced = link?.replaced[at] === 1;
    const read = isReplaced ? own : shared;
    const position = read?.index.positions[isReplaced ? replacing : at];
    if (isReplaced) replacing += 1;
    if (read !== undefined && position !== undefined) found.get(path)?.push(recordAt(read, position));
  }
  for (const [at, { path }] of own.index.entries.entries())
    found.get(path)?.push(recordAt(own, own.index.positions[at] ?? 0));
  return found;
}

interface ReadIndex {
  readonly bytes: Buffer;
  readonly index: GitIndex;
  readonly hashBytes: 20 | 32;
}

function readIndex(folder: PinnedFolder, name: string): ReadIndex | undefined {
  const bytes = readSmallFile(folder.at(name), { mostBytes: MOST_BYTES, followsLinks: false })?.bytes;
  if (bytes === undefined) return undefined;
  for (const hashBytes of [20, 32] as const) {
    const index = readGitIndex(bytes, hashBytes);
    if (index !== undefined) return { bytes, index, hashBytes };
  }
  return undefined;
}

const IS_ASSUMED = 0x8000;
const IS_EXTENDED = 0x4000;
const IS_SKIPPED = 0x4000;

function recordAt({ bytes, hashBytes }: ReadIndex, at: number): IndexedFile {
  const flagsAt = at + 40 + hashBytes;
  const flags = bytes.readUInt16BE(flagsAt);
  const more = (flags & IS_EXTENDED) === 0 ? 0 : bytes.readUInt16BE(flagsAt + 2);
  return {
    hash: bytes.toString("hex", at + 40, flagsAt),
    size: bytes.readUInt32BE(at + 36),
    mtimeNs: BigInt(bytes.readUInt32BE(at + 8)) * 1_000_000_000n + BigInt(bytes.readUInt32BE(at + 12)),
    isSkipped: (flags & IS_ASSUMED) !== 0 || (more & IS_SKIPPED) !== 0,
  };
}
