import { readFileSync, statSync } from "node:fs";
import { readGitIndex } from "../../git/git-index.ts";

/** What a repository tracks. */
export interface TrackedFiles {
  /** Relative to the top of the repository. */
  readonly files: readonly string[];
  /** Folders that are repositories of their own to it. */
  readonly repositories: readonly string[];
}

const NONE: TrackedFiles = Object.freeze({ files: [], repositories: [] });
const LARGEST = 64 * 1_048_576;

/**
 * Reads the index of a repository: git itself would read the repository's configuration, and run what that names.
 * `undefined` where it cannot be read, which is not the same as nothing.
 */
export function trackedFiles(index: string): TrackedFiles | undefined {
  try {
    if (statSync(index).size > LARGEST) return undefined;
    const bytes = readFileSync(index);
    const read = readGitIndex(bytes, 20) ?? readGitIndex(bytes, 32);
    if (read === undefined || read.isSplit) return undefined;
    const named = (isRepository: boolean) =>
      read.entries
        .filter((entry) => entry.isRepository === isRepository)
        .map(({ path }) => Buffer.from(path, "latin1").toString());
    return { files: named(false), repositories: named(true) };
  } catch (error) {
    return (error as { code?: string }).code === "ENOENT" ? NONE : undefined;
  }
}
