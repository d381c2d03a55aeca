import { read, readSync } from "node:fs";
import { promisify } from "node:util";
import { ToolFailure } from "@toolkeep/core";
import { fsRead } from "@toolkeep/core/internal";
import type { ByteRange, FileBytes, Grant } from "@toolkeep/core/ports";
import { canonicalPath } from "./canonical-path.ts";
import { openFile, versionOf } from "./opened-file.ts";

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
  using file = openFile(real);
  const span = spanOf(range, { path: real, size: Number(file.stats.size), mostBytes });
  const bytes = await readSpan(file.descriptor, span);
  return { bytes, size: Number(file.stats.size), version: versionOf(file.stats) };
}

const readSome = promisify(read);

/** To hand so little to another thread takes longer than to read it. */
const AT_ONCE = 64 * 1_024;

/** What a descriptor has from an offset on: less than was asked for where the file ends. */
async function readSpan(descriptor: number, { offset, length }: Required<ByteRange>): Promise<Uint8Array> {
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);
  let filled = 0;
  while (filled < length) {
    const rest = length - filled;
    const from = offset + filled;
    const bytesRead =
      rest <= AT_ONCE
        ? readSync(descriptor, bytes, filled, rest, from)
        : (await readSome(descriptor, bytes, filled, rest, from)).bytesRead;
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
