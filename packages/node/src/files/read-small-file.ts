import { type BigIntStats, closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { O_PATH } from "./pinned-folder.ts";

/** Nothing is waited for that another process would have to write first. */
const READING = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

export interface SmallFile {
  readonly bytes: Buffer;
  readonly stats: BigIntStats;
}

export interface SmallFileOptions {
  readonly mostBytes: number;
  readonly followsLinks: boolean;
  /** Whether it is the file that is meant. It is asked before anything of the file is read. */
  readonly isMeant?: (stats: BigIntStats) => boolean;
}

/**
 * The content of a file; `undefined` if it is not a file, is another one than meant, or has more bytes. It is opened
 * only once it is known to be a file: opening a device can be enough to trigger it.
 * @throws the error of the file system if it cannot be read.
 */
export function readSmallFile(path: string, options: SmallFileOptions): SmallFile | undefined {
  const link = options.followsLinks ? 0 : constants.O_NOFOLLOW;
  if (process.platform !== "linux") return readOpened(openSync(path, READING | link), options);
  const heldPath = openSync(path, O_PATH | link);
  try {
    if (!isWanted(fstatSync(heldPath, { bigint: true }), options)) return undefined;
    return readOpened(openSync(`/proc/self/fd/${heldPath}`, READING), options);
  } finally {
    closeSync(heldPath);
  }
}

function readOpened(file: number, options: SmallFileOptions): SmallFile | undefined {
  try {
    const stats = fstatSync(file, { bigint: true });
    return isWanted(stats, options) ? { bytes: readFileSync(file), stats } : undefined;
  } finally {
    closeSync(file);
  }
}

function isWanted(stats: BigIntStats, { mostBytes, isMeant = () => true }: SmallFileOptions): boolean {
  return stats.isFile() && stats.size <= mostBytes && isMeant(stats);
}
