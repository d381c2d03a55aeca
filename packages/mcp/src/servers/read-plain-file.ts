import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { isWithin } from "@toolkeep/core/internal";

export interface PlainFileOptions {
  readonly mostBytes: number;
  /** A canonical folder that links must not lead out of. */
  readonly beneath?: string;
  /** Others must not be able to write to it, and it must be ours. */
  readonly isOurs?: true;
}

/** A file that could be read, or the reason why it must not be. */
export type PlainFile =
  | { readonly text: string; readonly error?: undefined }
  | { readonly text?: undefined; readonly error: string };

/**
 * Reads a small file that says what is started. Never waits for a pipe, never reads more than it was told,
 * never throws for what is in the way. `undefined`: there is no such file.
 */
export async function readPlainFile(path: string, options: PlainFileOptions): Promise<PlainFile | undefined> {
  try {
    const real = await realpath(path);
    if (options.beneath !== undefined && !isWithin(real, options.beneath)) {
      return { error: "it is a link that leads out of the project" };
    }
    // Without NONBLOCK a pipe would keep us waiting for somebody who writes to it.
    const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return await readHandle(handle, options);
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException | undefined)?.code ?? "unknown";
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : { error: `it cannot be read (${code})` };
  }
}

async function readHandle(handle: FileHandle, { mostBytes, isOurs }: PlainFileOptions): Promise<PlainFile> {
  const stats = await handle.stat();
  if (!stats.isFile()) return { error: "it is not a file" };
  const own = process.getuid?.();
  if (isOurs && own !== undefined && ((stats.mode & 0o022) !== 0 || stats.uid !== own)) {
    return { error: "others may write to it" };
  }
  if (stats.size > mostBytes) return { error: `it is larger than ${mostBytes} bytes` };
  // One byte more than there should be, since the file may grow while it is read.
  const bytes = Buffer.alloc(stats.size + 1);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  if (length > stats.size) return { error: "it grew while it was read" };
  return { text: bytes.toString("utf8", 0, length) };
}
