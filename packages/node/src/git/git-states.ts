import { createHash } from "node:crypto";
import { type BigIntStats, lstatSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { versionOf } from "../files/opened-file.ts";
import { holdFolder } from "../files/pinned-folder.ts";
import { readSmallFile } from "../files/read-small-file.ts";
import { type IndexedFile, indexedFiles } from "./indexed-files.ts";

/**
 * What git keeps of a file. `recorded`: exactly these bytes, so that a reader of the repository knows them.
 * `modified`: other bytes. `unknown`: nothing, or git was told not to look, or a filter stands between the file and
 * what is kept.
 */
export type GitState = "recorded" | "modified" | "unknown";

/**
 * What git keeps of each of some files, by the content that the index of their repository records. Only repositories
 * count that are visible. It runs nothing, follows no link, and reads a file only if the index names it.
 */
export function gitStates(
  paths: readonly string[],
  isVisible: (path: string) => boolean,
): ReadonlyMap<string, GitState> {
  const around = repositoriesAround(isVisible);
  const asked = paths.map((path) => ({ path, repositories: around(dirname(path)) }));
  const wanted = new Map<string, Set<string>>();
  for (const { path, repositories } of asked)
    for (const { top, index } of repositories) {
      const names = wanted.get(index) ?? new Set();
      wanted.set(index, names.add(nameIn(top, path)));
    }
  const indexes = new Map([...wanted].map(([index, names]) => [index, indexedFiles(index, names)]));
  return new Map(
    asked.map(({ path, repositories }) => {
      const records = repositories.flatMap(
        ({ top, index }) => indexes.get(index)?.get(nameIn(top, path)) ?? [],
      );
      return [path, records.length === 0 ? "unknown" : stateOf(path, records)];
    }),
  );
}

/** The folder whose repository a folder belongs to, as far as it is visible. */
export function repositoryTop(folder: string, isVisible: (path: string) => boolean): string | undefined {
  return repositoriesAround(isVisible)(folder)[0]?.top;
}

/** The index of the repository in a folder, as far as it is visible. */
export function repositoryIndex(top: string, isVisible: (path: string) => boolean): string | undefined {
  const store = isVisible(top) ? storeAt(top) : undefined;
  return store !== undefined && isVisible(store) ? join(store, "index") : undefined;
}

/** As the index has it: one character for each byte. */
function nameIn(top: string, path: string): string {
  return Buffer.from(relative(top, path)).toString("latin1");
}

interface Repository {
  readonly top: string;
  readonly index: string;
}

/**
 * Every repository that a folder may belong to, as far as it is visible. A folder that only looks like a repository
 * takes nothing away: git passes over some of those.
 */
function repositoriesAround(isVisible: (path: string) => boolean): (folder: string) => readonly Repository[] {
  const known = new Map<string, readonly Repository[]>();
  function around(folder: string): readonly Repository[] {
    if (!isVisible(folder)) return [];
    const found = known.get(folder);
    if (found !== undefined) return found;
    const store = storeAt(folder);
    const own = store !== undefined && isVisible(store) ? [{ top: folder, index: join(store, "index") }] : [];
    const all = [...own, ...(folder === "/" ? [] : around(dirname(folder)))];
    known.set(folder, all);
    return all;
  }
  return around;
}

const MOST_OF_POINTER = 8_192;

/** Where a repository keeps its files: in `.git`, or where a file of that name says (a worktree, a submodule). */
function storeAt(top: string): string | undefined {
  try {
    using folder = holdFolder(top);
    const stats = lstatSync(folder.at(".git"), { throwIfNoEntry: false });
    if (stats?.isDirectory() === true) return join(top, ".git");
    if (stats?.isFile() !== true) return undefined;
    const file = readSmallFile(folder.at(".git"), { mostBytes: MOST_OF_POINTER, followsLinks: false });
    const said = /^gitdir: ([^\n\0]+)\n*$/.exec(file?.bytes.toString() ?? "")?.[1];
    return said === undefined ? undefined : resolve(top, said.trimEnd());
  } catch {
    return undefined;
  }
}

function stateOf(path: string, records: readonly IndexedFile[]): GitState {
  const file = hashedFile(path);
  if (file === undefined) return "unknown";
  for (const { hash } of records) file.compared.add(hash);
  if (file.compared.size > MOST_COMPARED) return "unknown";
  if (records.some(({ hash }) => file.hashes.includes(hash))) return "recorded";
  const watched = records.filter(({ isSkipped }) => !isSkipped);
  return watched.length === 0 || watched.some((record) => isFiltered(record, file)) ? "unknown" : "modified";
}

/** Git compared the file and found it unchanged, although its bytes are others: a filter made them. */
function isFiltered({ size, mtimeNs }: IndexedFile, { stats }: HashedFile): boolean {
  return BigInt(size) === (stats.size & 0xffff_ffffn) && mtimeNs === stats.mtimeNs;
}

/**
 * A command can write any hash into an index, and learns whether the file has it. So one version of a file is compared
 * with few: content that is guessed must be guessed at once.
 */
const MOST_COMPARED = 16;

interface HashedFile {
  readonly stamp: string;
  readonly stats: BigIntStats;
  /** Of either kind, so that guesses at both are counted together. */
  readonly hashes: readonly string[];
  /** The hashes that this version of the file was compared with. */
  readonly compared: Set<string>;
}

const hashed = new Map<string, HashedFile>();
const MOST_HASHED = 10_000;
const MOST_BYTES = 2 ** 24;
/** Two changes within one tick of the clock have the same time. */
const RECENT_MS = 1_000;

/** A file with the hashes that git would give to its bytes; one that has not changed is not read again. */
function hashedFile(path: string): HashedFile | undefined {
  try {
    using folder = holdFolder(dirname(path));
    const found = lstatSync(folder.at(basename(path)), { bigint: true, throwIfNoEntry: false });
    const known = hashed.get(path);
    if (found !== undefined && known?.stamp === versionOf(found)) return known;
    const file = readSmallFile(folder.at(basename(path)), { mostBytes: MOST_BYTES, followsLinks: false });
    if (file === undefined) return undefined;
    const { bytes, stats } = file;
    const hashes = ["sha1", "sha256"].map((algorithm) =>
      createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest("hex"),
    );
    const fresh: HashedFile = { stamp: versionOf(stats), stats, hashes, compared: new Set() };
    const isSettled = Date.now() - Number(stats.ctimeMs) > RECENT_MS;
    return isSettled && !remembers(path, fresh) ? undefined : fresh;
  } catch {
    // Gone, closed, or moved away.
    return undefined;
  }
}

/** Only files whose content is known anyway are forgotten: to forget another would be to forget the guesses at it. */
function remembers(path: string, file: HashedFile): boolean {
  if (hashed.size >= MOST_HASHED)
    for (const [other, { hashes, compared }] of hashed)
      if (compared.size <= MOST_COMPARED && hashes.some((hash) => compared.has(hash))) hashed.delete(other);
  if (hashed.size >= MOST_HASHED) return false;
  hashed.set(path, file);
  return true;
}
