import type { Stats } from "node:fs";

const EVERYBODY_WRITES = 0o002;
const STICKY = 0o1000;

/**
 * Why a file or folder must not be taken at its word: somebody else could have written it. It must
 * belong to us, to root, or to one of `owners`, and not everybody may write to it. Where there are
 * no such owners (Windows) nothing is said.
 */
export function ownershipError(
  stats: Pick<Stats, "uid" | "mode" | "isDirectory">,
  owners: readonly number[] = [],
): string | undefined {
  const own = process.getuid?.();
  if (own === undefined) return undefined;
  if (![0, own, ...owners].includes(stats.uid)) {
    return `it belongs to another user (${stats.uid}); change its owner, or name that user under \`owners\``;
  }
  // In a folder like /tmp others may only add what is theirs, and what is theirs is refused by itself.
  const isSafeFolder = stats.isDirectory() && (stats.mode & STICKY) !== 0;
  if ((stats.mode & EVERYBODY_WRITES) !== 0 && !isSafeFolder) {
    return "everybody may write to it; take that away with `chmod o-w`";
  }
  return undefined;
}
