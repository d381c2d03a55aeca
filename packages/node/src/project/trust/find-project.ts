import { lstat, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { ownershipError } from "../../owned-files/ownership-error.ts";

export interface FindProjectOptions {
  /** The home folder is never a project by what is in it, nor is anything above. */
  readonly home?: string;
  readonly owners?: readonly number[];
}

/**
 * The project that a folder belongs to: the nearest folder from there upwards that contains `.git`, else the folder
 * itself. Canonical. Looks for that one name alone and reads nothing. A `.git` of another user, which anyone could put
 * into a folder like /tmp, is ignored.
 */
export async function findProject(folder: string, options: FindProjectOptions = {}): Promise<string> {
  const start = await realpath(folder);
  const home = await realpath(options.home ?? homedir()).catch(() => undefined);
  for (let at = start; at !== home && dirname(at) !== at; at = dirname(at)) {
    if (await isOwnRepository(at, options.owners)) return at;
  }
  return start;
}

async function isOwnRepository(folder: string, owners: readonly number[] | undefined): Promise<boolean> {
  try {
    return ownershipError(await lstat(join(folder, ".git")), owners) === undefined;
  } catch {
    return false;
  }
}
