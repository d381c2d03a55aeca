import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { sep } from "node:path";
import { ownershipError } from "./ownership-error.ts";

export interface OwnedFileOptions {
  readonly mostBytes: number;
  /** A canonical folder that links must not lead out of. */
  readonly beneath?: string;
  /** Users beside us and root whose files count. */
  readonly owners?: readonly number[];
}

/** A file that could be read, or the reason why it must not be. */
export type OwnedFile =
  | { readonly path: string; readonly text: string; readonly error?: undefined }
  | { readonly path: string; readonly error: string };

/**
 * Reads a small file that decides what is run or who may do what. Never waits for a pipe, never reads
 * more than it was told, never throws for what is in the way. `undefined`: there is no such file.
 */
export async function readOwnedFile(path: string, options: OwnedFileOptions): Promise<OwnedFile | undefined> {
  try {
    const real = await realpath(path);
    if (options.beneath !== undefined && !isBeneath(real, options.beneath)) {
      return { path, error: "it is a link that leads out of its folder" };
    }
    // Without NONBLOCK a pipe would keep us waiting for somebody who writes to it.
    const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return await readHandle(handle, path, options);
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = codeOf(error);
    return code === "ENOENT" || code === "ENOTDIR"
      ? undefined
      : { path, error: `it cannot be read (${code})` };
  }
}

/** Whether a canonical path is the folder itself or in it. */
export function isBeneath(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** The short name of what went wrong, without the words that may hold more than others should read. */
export function codeOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return typeof code === "string" ? code : "unknown";
}

async function readHandle(
  handle: FileHandle,
  path: string,
  { mostBytes, owners }: OwnedFileOptions,
): Promise<OwnedFile> {
  const stats = await handle.stat();
  if (!stats.isFile()) return { path, error: "it is not a file" };
  const error = ownershipError(stats, owners);
  if (error !== undefined) return { path, error };
  if (stats.size > mostBytes) return { path, error: `it is larger than ${mostBytes} bytes` };
  // One byte more than there should be, since the file may grow while it is read.
  const bytes = Buffer.alloc(stats.size + 1);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  if (length > stats.size) return { path, error: "it grew while it was read" };
  return { path, text: bytes.toString("utf8", 0, length) };
}
