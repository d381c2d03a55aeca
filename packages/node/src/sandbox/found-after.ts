import type { Find } from "./find.ts";
import { openUp } from "./open-up.ts";
import { survey } from "./survey.ts";

/** What is there once a command is over. */
export interface FoundAfter {
  readonly finds: readonly Find[];
  /** Why there may be more than that. */
  readonly error?: unknown;
}

/**
 * Looks through the folders that a command could write to, and into the secret ones that it made: those that were
 * there before were closed to it. What was found counts even if something makes the look itself fail.
 */
export async function foundAfter(
  write: readonly string[],
  isKnown: (find: Find) => boolean,
): Promise<FoundAfter> {
  const finds: Find[] = [];
  try {
    for (let directories = write; directories.length > 0; ) {
      const found = await foundIn(directories, { write, isKnown, finds });
      directories = found.filter((find) => isFolder(find) && !isKnown(find)).map(({ path }) => path);
    }
    return { finds };
  } catch (error) {
    return { finds, error: error };
  }
}

interface Looking {
  readonly write: readonly string[];
  readonly isKnown: (find: Find) => boolean;
  /** What was found is added here, whether or not the look comes to its end. */
  readonly finds: Find[];
}

async function foundIn(
  directories: readonly string[],
  { write, isKnown, finds }: Looking,
): Promise<readonly Find[]> {
  let found: readonly Find[] = [];
  try {
    // However many folders there are by now: what is not looked at would stay.
    found = await survey(directories, {
      write,
      isAutoExecuted: isKnown,
      open: (folder) => !isKnown(folder) && openUp(folder.path),
      onFound: (some) => {
        found = some;
      },
    });
    return found;
  } finally {
    for (const find of found) finds.push(find);
  }
}

function isFolder({ kind, type }: Find): boolean {
  return kind === "secret" && type === "folder";
}
