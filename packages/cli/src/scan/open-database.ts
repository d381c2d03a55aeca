import { type FileHandle, open } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { FLAGS, withHistoryFile } from "./history-files.ts";
import type { HistoryNotes, ScannedClient } from "./recorded-call.ts";

export interface OpenDatabase {
  readonly database: DatabaseSync;
  close(): void;
}

interface Reader {
  readonly client: ScannedClient;
  readonly notes: HistoryNotes;
}

const LARGEST_IMAGE = 512_000_000;
const HEADER = "SQLite format 3\0";

/**
 * Opens a database of another program without a trace: SQLite itself would create files next to it. Pages that are
 * still in its write-ahead log are taken from there, in memory. `undefined`, with a note, if it cannot be read.
 */
export async function openDatabase(path: string, reader: Reader): Promise<OpenDatabase | undefined> {
  return withHistoryFile(path, reader, async (file, size) => {
    const log = await readLog(`${path}-wal`);
    const database =
      log === undefined || size + log.length > LARGEST_IMAGE || !canDeserialize
        ? new DatabaseSync(readOnlyUrl(path), { readOnly: true })
        : ofImage(withLog(await wholeOf(file, size), log));
    return { database, close: () => database.close() };
  });
}

const canDeserialize = "deserialize" in DatabaseSync.prototype;

/** The file as it is: without locks, and without the log. */
function readOnlyUrl(path: string): URL {
  const url = pathToFileURL(path);
  url.search = "?mode=ro&immutable=1";
  return url;
}

function ofImage(image: Buffer): DatabaseSync {
  const database = new DatabaseSync(":memory:") as DatabaseSync & { deserialize(image: Uint8Array): void };
  database.deserialize(image);
  return database;
}

async function wholeOf(file: FileHandle, size: number): Promise<Buffer> {
  const image = Buffer.alloc(size);
  await file.read(image, 0, size, 0);
  return image;
}

/** `undefined` if there is none, or nothing in it. */
async function readLog(path: string): Promise<Buffer | undefined> {
  const file = await open(path, FLAGS).catch(() => undefined);
  try {
    const stats = await file?.stat();
    if (file === undefined || stats?.isFile() !== true) return undefined;
    if (stats.size <= LOG_HEADER || stats.size > LARGEST_IMAGE) return undefined;
    return await wholeOf(file, stats.size);
  } finally {
    await file?.close();
  }
}

const LOG_HEADER = 32;
const FRAME_HEADER = 24;
const SMALLEST_PAGE = 512;
const LARGEST_PAGE = 65_536;

/**
 * The file with the pages of its log, as of the last transaction that was completed. The format is in the documentation
 * of SQLite: a header of 32 bytes, then frames of 24 bytes and a page each. Frames of an earlier use of the log have
 * other numbers in their headers.
 */
function withLog(file: Buffer, log: Buffer): Buffer {
  const pageSize = log.readUInt32BE(8);
  if (pageSize < SMALLEST_PAGE || pageSize > LARGEST_PAGE) return asRollback(file);
  const pages = new Map<number, number>();
  let open = new Map<number, number>();
  let count = Math.ceil(file.length / pageSize);
  for (let at = LOG_HEADER; at + FRAME_HEADER + pageSize <= log.length; at += FRAME_HEADER + pageSize) {
    if (log.compare(log, 16, 24, at + 8, at + 16) !== 0) break;
    open.set(log.readUInt32BE(at), at + FRAME_HEADER);
    const size = log.readUInt32BE(at + 4);
    if (size === 0) continue;
    for (const [page, from] of open) pages.set(page, from);
    open = new Map();
    count = size;
  }
  if (count * pageSize > LARGEST_IMAGE) return asRollback(file);
  const image = Buffer.alloc(count * pageSize);
  file.copy(image);
  for (const [page, from] of pages)
    if (page >= 1 && page <= count) log.copy(image, (page - 1) * pageSize, from, from + pageSize);
  return asRollback(image);
}

/** A database in memory has no log. */
function asRollback(image: Buffer): Buffer {
  if (image.length >= SMALLEST_PAGE && image.toString("latin1", 0, HEADER.length) === HEADER)
    image.fill(1, 18, 20);
  return image;
}
