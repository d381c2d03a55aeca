import { constants } from "node:fs";
import { type FileHandle, lstat, open, opendir, realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Fields, fieldsInText } from "../clients/payload.ts";
import type { HistoryNotes, Recent, ScannedClient } from "./recorded-call.ts";

const MOST_FILES = 50_000;
const MOST_DEPTH = 8;
const MOST_BYTES = 1_000_000_000;
const LONGEST_LINE = 16_000_000;
const CHUNK = 1_048_576;

/** A file of a history. */
export interface HistoryFile {
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly changed: number;
  readonly size: number;
  /** Where reading begins, maybe within a line. Default: at the beginning. */
  readonly from?: number;
}

/** Of what is recent: so many files, and so much of each. */
const MOST_RECENT = 8;
const RECENT_BYTES = 2_000_000;

interface Search {
  readonly client: ScannedClient;
  readonly notes: HistoryNotes;
  readonly recent?: Recent | undefined;
  /** Whether the path of a file, below the folder, is one of a history. */
  isWanted(path: string): boolean;
}

/** The files of a history folder, by their paths; none without it. Links may lead anywhere, and are not followed. */
export async function historyFiles(folder: string, search: Search): Promise<readonly HistoryFile[]> {
  const root = await realpath(folder).catch(() => undefined);
  if (root === undefined) return [];
  const found: HistoryFile[] = [];
  const open: { readonly path: string; readonly depth: number }[] = [{ path: "", depth: 0 }];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const entry of await entriesOf(join(root, at.path), search)) {
      const path = join(at.path, entry.name);
      if (entry.isDirectory() && at.depth < MOST_DEPTH) open.push({ path, depth: at.depth + 1 });
      if (entry.isSymbolicLink()) search.notes.skipped(search.client, "a link");
      if (!entry.isFile() || !search.isWanted(path)) continue;
      if (found.length >= MOST_FILES) search.notes.skipped(search.client, "more than 50000 files");
      else found.push({ path: join(root, path), ...(await statsOf(join(root, path))) });
    }
  }
  return latestOf(found, search.recent).toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

function latestOf(files: readonly HistoryFile[], recent: Recent | undefined): readonly HistoryFile[] {
  if (recent === undefined) return files;
  return files
    .filter(({ changed }) => changed >= recent.since)
    .toSorted((one, other) => other.changed - one.changed)
    .slice(0, MOST_RECENT)
    .map((file) => ({ ...file, from: Math.max(0, file.size - RECENT_BYTES) }));
}

async function entriesOf(folder: string, { client, notes }: Search) {
  try {
    return await Array.fromAsync(await opendir(folder));
  } catch {
    notes.skipped(client, "a file that cannot be read");
    return [];
  }
}

async function statsOf(path: string): Promise<Pick<HistoryFile, "changed" | "size">> {
  const stats = await lstat(path).catch(() => undefined);
  return { changed: stats?.mtimeMs ?? 0, size: stats?.size ?? 0 };
}

/** No links, and a pipe in place of a file must not hold up the program. */
export const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Calls `use` with a regular file that is no link. `undefined`, with a note, if it cannot be read. */
export async function withHistoryFile<Result>(
  path: string,
  { client, notes }: Pick<Search, "client" | "notes">,
  use: (file: FileHandle, size: number) => Promise<Result>,
): Promise<Result | undefined> {
  const file = await open(path, FLAGS).catch(() => undefined);
  try {
    const stats = await file?.stat();
    if (file === undefined || stats?.isFile() !== true) notes.skipped(client, "a file that cannot be read");
    else if (stats.size > MOST_BYTES) notes.skipped(client, "a file larger than 1 GB");
    else return await use(file, stats.size);
  } catch {
    notes.skipped(client, "a file that cannot be read");
  } finally {
    await file?.close();
  }
  return undefined;
}

const MOST_SMALL = 1_000_000;

/** The text of a small file that is no link; empty if there is none. */
export async function smallText(path: string): Promise<string> {
  const file = await open(path, FLAGS).catch(() => undefined);
  try {
    const stats = await file?.stat();
    if (file === undefined || stats?.isFile() !== true || stats.size > MOST_SMALL) return "";
    return await file.readFile("utf8");
  } catch {
    return "";
  } finally {
    await file?.close();
  }
}

/** Visits the records of a file with one JSON object on each line. */
export async function eachRecord(
  { path, from = 0 }: HistoryFile,
  search: Pick<Search, "client" | "notes">,
  visit: (record: Fields) => void,
): Promise<void> {
  const { client, notes } = search;
  await withHistoryFile(path, search, async (file) => {
    for await (const line of linesOf(file, from)) {
      if (line?.trim() === "") continue;
      const record = line === undefined ? undefined : fieldsInText(line);
      if (record !== undefined) visit(record);
      else notes.skipped(client, line === undefined ? "a line longer than 16 MB" : "a line that is not JSON");
    }
  });
}

/** The lines of a file; `undefined` for one that is too long. */
async function* linesOf(file: FileHandle, from: number): AsyncGenerator<string | undefined> {
  const chunk = Buffer.alloc(CHUNK);
  let rest: Buffer[] = [];
  let length = 0;
  let next = from;
  const taken = (): string | undefined => {
    const line = length > LONGEST_LINE ? undefined : Buffer.concat(rest).toString("utf8");
    rest = [];
    length = 0;
    return line;
  };
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK, next);
    if (bytesRead === 0) break;
    next += bytesRead;
    for (let at = 0; at < bytesRead; ) {
      const end = chunk.subarray(0, bytesRead).indexOf(10, at);
      const part = chunk.subarray(at, end === -1 ? bytesRead : end);
      length += part.length;
      if (length <= LONGEST_LINE) rest.push(Buffer.from(part));
      else rest = [];
      if (end !== -1) yield taken();
      at = end === -1 ? bytesRead : end + 1;
    }
  }
  if (length > 0) yield taken();
}

/** The name of a file without its ending. */
export function stemOf(path: string): string {
  return basename(path).replace(/\.[^.]*$/, "");
}
