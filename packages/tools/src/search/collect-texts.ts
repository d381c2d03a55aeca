import { isSecretFile } from "@toolkeep/core/internal";
import type { SearchMatch } from "@toolkeep/core/ports";

/** What was found in one file. */
export interface FoundFile {
  readonly path: string;
  /** Those that match and those around them, in their order. */
  readonly lines: readonly SearchMatch[];
  /** How many lines match. */
  readonly count: number;
}

/** What a search gave, in the order of the paths. */
export interface FoundTexts {
  readonly files: readonly FoundFile[];
  /** Whether there is more. */
  readonly isCut: boolean;
}

export interface CollectOptions {
  /** Whether files that hold secrets are wanted, because one was named. */
  readonly withSecrets: boolean;
  /** What is counted up to the limit. */
  readonly counts: "lines" | "files";
  readonly limit: number;
}

/**
 * Takes matches up to a limit and reads no further than it must to know whether there are more. Files that hold
 * secrets are left out, unless one was named; whether anything matched in them shows nowhere, because whoever
 * asks again and again could learn a secret from that.
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

/** Ripgrep gives files in another order every time. One with nothing but lines around a match that came too late is none. */
function inOrder(files: ReadonlyMap<string, Gathered>): readonly FoundFile[] {
  return [...files.values()]
    .filter(({ count }) => count > 0)
    .sort((one, other) => (one.path < other.path ? -1 : 1))
    .map(({ path, lines, count }) => ({ path, lines, count }));
}
