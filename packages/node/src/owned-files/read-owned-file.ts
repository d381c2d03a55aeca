import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { isWithin } from "@toolkeep/core/internal";
import { ownershipError } from "./ownership-error.ts";

export interface OwnedFileOptions {
  readonly mostBytes: number;
  /** A canonical folder that links must not lead out of. */
  readonly beneath?: string;
  /**
   * Which users may own the file besides this user and root; `"us"`: this user alone, and neither its group nor others
   * may write to it; `"anyone"`: its owner is not checked.
   */
  readonly owners?: readonly number[] | "us" | "anyone";
}

/** The text of a file, or the reason why it is not read. */
export type OwnedFile =
  | { readonly path: string; readonly text: string; readonly error?: undefined }
  | { readonly path: string; readonly text?: undefined; readonly error: string };

/**
 * Reads a small file that decides what is run or who may do what. It never waits for a pipe, never reads more than
 * `mostBytes`, and reports what is wrong instead of throwing. `undefined`: there is no such file.
 */
export async function readOwnedFile(path: string, options: OwnedFileOptions): Promise<OwnedFile | undefined> {
  try {
    const real = await realpath(path);
    if (options.beneath !== undefined && !isWithin(real, options.beneath)) {
      return { path, error: "it is a link that leads out of its folder" };
    }
    // Without NONBLOCK, opening a pipe waits until another process writes to it.
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

/** The code of an error alone: its message may contain more than the reader may see. */
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
  // One byte more than expected, because the file may grow while it is read.
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
