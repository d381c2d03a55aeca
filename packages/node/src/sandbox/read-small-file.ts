import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";

/** Nothing is waited for that somebody would have to write first. */
const READING = constants.O_RDONLY | constants.O_NONBLOCK;

export interface SmallFile {
  readonly bytes: Buffer;
  readonly stats: Stats;
}

/**
 * What is in a file; `undefined` for what is no file, or has more bytes than that.
 * @throws the error of the file system when it cannot be read.
 */
export function readSmallFile(
  path: string,
  { mostBytes, followsLinks }: { readonly mostBytes: number; readonly followsLinks: boolean },
): SmallFile | undefined {
  const file = openSync(path, followsLinks ? READING : READING | constants.O_NOFOLLOW);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size > mostBytes) return undefined;
    return { bytes: readFileSync(file), stats };
  } finally {
    closeSync(file);
  }
}
