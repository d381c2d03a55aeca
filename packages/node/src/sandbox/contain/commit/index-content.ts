import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { unlessThrown } from "@toolkeep/core/internal";
import { readGitIndex } from "../../../git/git-index.ts";
import { inRepository } from "../layer/git-changes.ts";

const MOST_BYTES = 2 ** 27;

/** What an index of git says, without when git last looked at the files; `undefined` for other files. */
export function indexContent(path: string, at: string): string | undefined {
  const bytes = inRepository(path)?.rest === "index" ? bytesAt(at) : undefined;
  if (bytes === undefined) return undefined;
  for (const hashBytes of [20, 32] as const) {
    const index = readGitIndex(bytes, hashBytes);
    if (index === undefined || index.isSplit) continue;
    const sum = createHash("sha256");
    for (const [number, entry] of index.entries.entries()) {
      const [start, end] = [index.positions[number] ?? 0, MODE_END + STATS_LENGTH + hashBytes];
      const hasMore = (bytes.readUInt16BE(start + end) & IS_EXTENDED) !== 0;
      sum.update(`${entry.path}\0`, "latin1");
      sum.update(bytes.subarray(start + MODE_AT, start + MODE_END));
      sum.update(bytes.subarray(start + MODE_END + STATS_LENGTH, start + end + (hasMore ? 4 : 2)));
    }
    return sum.digest("hex");
  }
  return undefined;
}

const [MODE_AT, MODE_END] = [24, 28];
/** Owner, group and size, between the mode and the hash. */
const STATS_LENGTH = 12;
const IS_EXTENDED = 0x4000;

/** Never waits: the file may have a lease of ours. */
function bytesAt(path: string): Buffer | undefined {
  return unlessThrown(() => {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const stats = fstatSync(file);
      return stats.isFile() && stats.size <= MOST_BYTES ? readFileSync(file) : undefined;
    } finally {
      closeSync(file);
    }
  });
}
