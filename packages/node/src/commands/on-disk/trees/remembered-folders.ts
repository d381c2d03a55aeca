import { lstatSync } from "node:fs";
import { type Budget, entriesOf, TooMany } from "../../../files/entries.ts";

/** The names in a folder, by what they are. Sockets, pipes and devices are among the files. */
export interface FolderEntries {
  readonly files: readonly string[];
  readonly folders: readonly string[];
  readonly links: readonly string[];
}

interface Remembered extends FolderEntries {
  readonly stamp: string;
  readonly count: number;
}

const NOTHING: FolderEntries = Object.freeze({ files: [], folders: [], links: [] });
const MOST_FOLDERS = 50_000;

/** A folder that was changed so shortly before it was read may be changed again without another time. */
const SETTLED_MS = 2_500;

const known = new Map<string, Remembered>();

/**
 * The entries of a folder. What was read before is used again while the folder is the same and unchanged: a name that
 * is added, removed or replaced changes its times, and the time of that change cannot be set back by its owner.
 * @throws TooMany
 */
export function folderEntries(folder: string, budget: Budget): FolderEntries {
  const before = known.get(folder);
  const stamp = stampOf(folder);
  if (stamp === undefined) return NOTHING;
  if (before?.stamp === stamp.text) {
    budget.left -= before.count;
    if (budget.left < 0) throw new TooMany(folder);
    return before;
  }
  const entries = read(folder, budget);
  if (stamp.isSettled && stampOf(folder)?.text === stamp.text)
    remember(folder, { ...entries, stamp: stamp.text });
  return entries;
}

function remember(folder: string, entries: Remembered): void {
  if (known.size >= MOST_FOLDERS) known.clear();
  known.set(folder, entries);
}

function read(folder: string, budget: Budget): Omit<Remembered, "stamp"> {
  const files: string[] = [];
  const folders: string[] = [];
  const links: string[] = [];
  for (const entry of entriesOf(folder, budget)) {
    if (entry.isDirectory()) folders.push(entry.name);
    else (entry.isSymbolicLink() ? links : files).push(entry.name);
  }
  return { files, folders, links, count: files.length + folders.length + links.length };
}

function stampOf(folder: string): { readonly text: string; readonly isSettled: boolean } | undefined {
  try {
    const { dev, ino, mtimeMs, ctimeMs } = lstatSync(folder);
    const latest = Math.max(mtimeMs, ctimeMs);
    return { text: `${dev} ${ino} ${mtimeMs} ${ctimeMs}`, isSettled: Date.now() - latest > SETTLED_MS };
  } catch {
    return undefined;
  }
}
