import { read } from "node:fs";
import { basename, dirname } from "node:path";
import { promisify } from "node:util";
import { ToolFailure } from "@toolkeep/core";
import { fsRead } from "@toolkeep/core/internal";
import type { ByteRange, FileBytes, Grant } from "@toolkeep/core/ports";
import { canonicalPath } from "./canonical-path.ts";
import { openFile, versionOf } from "./opened-file.ts";
import { pinFolder } from "./pinned-folder.ts";

export interface ReadRequest {
  readonly grant: Grant;
  readonly path: string;
  readonly range: ByteRange;
  readonly mostBytes: number;
}

/**
 * Reads from a file. The path that is checked is the one of the open descriptor. A file with other names (hard links)
 * is read: package stores consist of them, and none can be told from another.
 */
export async function readFile({ grant, path, range, mostBytes }: ReadRequest): Promise<FileBytes> {
  const real = await canonicalPath(path);
  grant.check(fsRead(real));
  using folder = pinFolder(dirname(real));
  using file = openFile(folder, basename(real));
  const span = spanOf(range, { path: real, size: Number(file.stats.size), mostBytes });
  const bytes = await readSpan(file.descriptor, span);
  return { bytes, size: Number(file.stats.size), version: versionOf(file.stats) };
}

const readSome = promisify(read);

/** What a descriptor has from an offset on: less than was asked for where the file ends. */
async function readSpan(descriptor: number, { offset, length }: Required<ByteRange>): Promise<Uint8Array> {
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await readSome(descriptor, bytes, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

interface ReadableFile {
  readonly path: string;
  readonly size: number;
  readonly mostBytes: number;
}

function spanOf(
  { offset = 0, length }: ByteRange,
  { path, size, mostBytes }: ReadableFile,
): Required<ByteRange> {
  if (!isCount(offset) || (length !== undefined && !isCount(length)))
    throw new ToolFailure("invalid_arguments", "`offset` and `length` are whole numbers, zero or more.");
  const rest = Math.max(size - offset, 0);
  const wanted = Math.min(length ?? rest, rest);
  if (wanted <= mostBytes) return { offset, length: wanted };
  throw new ToolFailure(
    "too_large",
    `${JSON.stringify(path)} has ${size} bytes; at most ${mostBytes} are read at once.`,
    { hint: "Read a range of it: give `offset` and `length`." },
  );
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
