import type { Stats } from "node:fs";

const EVERYONE_WRITES = 0o002;
const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;

/**
 * Why a file or folder must not be trusted: another user could have written it. It must belong to this user, to root,
 * or to one of `owners`, and not be writable for everyone; with `"us"` it must belong to this user, and only this user
 * may write to it. `undefined` where there is no such reason, or where files have no owners (Windows).
 */
export function ownershipError(
  stats: Pick<Stats, "uid" | "mode" | "isDirectory">,
  owners: readonly number[] | "us" | "anyone" = [],
): string | undefined {
  const own = process.getuid?.();
  if (own === undefined || owners === "anyone") return undefined;
  if (owners === "us")
    return stats.uid !== own || (stats.mode & OTHERS_WRITE) !== 0 ? "others may write to it" : undefined;
  if (![0, own, ...owners].includes(stats.uid)) {
    return `it belongs to another user (${stats.uid}); change its owner, or name that user under \`owners\``;
  }
  // In a folder like /tmp other users can only add files of their own, and those are refused.
  const isSafeFolder = stats.isDirectory() && (stats.mode & STICKY) !== 0;
  if ((stats.mode & EVERYONE_WRITES) !== 0 && !isSafeFolder) {
    return "everybody may write to it; take that away with `chmod o-w`";
  }
  return undefined;
}
