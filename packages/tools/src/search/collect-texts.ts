import { isSecretFile } from "@toolkeep/core/internal";
import type { SearchMatch } from "@toolkeep/core/ports";

/** The matches in one file. */
export interface FoundFile {
  readonly path: string;
  /** Matching lines and context lines, in order. */
  readonly lines: readonly SearchMatch[];
  /** The number of matching lines. */
  readonly count: number;
}

/** The result of a search, ordered by path. */
export interface FoundTexts {
  readonly files: readonly FoundFile[];
  /** Whether more matches exist. */
  readonly isCut: boolean;
}

export interface CollectOptions {
  /** Whether to search files that contain secrets, because the call names one. */
  readonly withSecrets: boolean;
  /** What the limit counts. */
  readonly counts: "lines" | "files";
  readonly limit: number;
}

/**
 * Collects matches up to a limit and reads only far enough to know whether more exist. Omits files that contain secrets
 * unless the call names one; the result never shows whether they matched, because repeated searches could reveal a
 * secret.
 */
export async function collectTexts(
  matches: AsyncIterable<SearchMatch>,
  { withSecrets, counts, limit }: CollectOptions,
): Promise<FoundTexts> {
  const files = new Map<string, Gathered>();
  let last: Gathered | undefined;
  let lines = 0;
  for await (const match of matches) {
    if (last?.path !== match.path) {
      last = files.get(match.path) ?? gathered(match.path, !withSecrets && isSecretFile(match.path));
      if (!last.isSecret) files.set(match.path, last);
    }
    if (last.isSecret) continue;
    if (match.context !== true) {
      const reached = counts === "lines" ? lines : last.count > 0 ? 0 : files.size - 1;
      if (reached >= limit) return { files: inOrder(files), isCut: true };
      lines += 1;
      last.count += 1;
    }
    if (counts === "lines") last.lines.push(match);
  }
  return { files: inOrder(files), isCut: false };
}

interface Gathered {
  readonly path: string;
  readonly isSecret: boolean;
  readonly lines: SearchMatch[];
  count: number;
}

function gathered(path: string, isSecret: boolean): Gathered {
  return { path, isSecret, lines: [], count: 0 };
}

/** Sorted, because ripgrep's order varies. A file with context lines only has no match within the limit. */
function inOrder(files: ReadonlyMap<string, Gathered>): readonly FoundFile[] {
  return [...files.values()]
    .filter(({ count }) => count > 0)
    .sort((one, other) => (one.path < other.path ? -1 : 1))
    .map(({ path, lines, count }) => ({ path, lines, count }));
}
