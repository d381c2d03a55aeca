import { lstat, readdir, realpath } from "node:fs/promises";
import { isWithin } from "@toolkeep/core/internal";
import { ownershipError } from "./ownership-error.ts";
import { codeOf, readOwnedFile } from "./read-owned-file.ts";
import { sha256 } from "./sha256.ts";

/** A folder whose files are read, and who may have written them. */
export interface OwnedFolder {
  readonly folder: string;
  /** A canonical folder that nothing in it may lead out of. */
  readonly beneath?: string;
  /** Users whose files are accepted in addition to this user's and root's. */
  readonly owners: readonly number[];
  /** Whether a file with this hash is what was trusted. Default: every file is. */
  readonly covers?: ((path: string, hash: string) => boolean) | undefined;
}

/** The names of files, and in a sentence what is wrong with the folder. */
export interface FolderNames {
  readonly names: readonly string[];
  readonly error?: string;
}

/**
 * The names of the files of a folder that are looked for, sorted; of too many, the first ones. A missing folder is empty.
 * Everyone who can write to a folder can put a file there: one of others has no names.
 */
export async function namesInFolder(
  { folder, beneath, owners }: OwnedFolder,
  { is, most }: { readonly is: RegExp; readonly most: number },
): Promise<FolderNames> {
  try {
    const real = await realpath(folder);
    if (beneath !== undefined && !isWithin(real, beneath))
      return { names: [], error: "Refused: it is a link that leads out of the project." };
    const refused = ownershipError(await lstat(real), owners);
    if (refused !== undefined) return { names: [], error: `Refused: ${refused}.` };
    const names = (await readdir(real)).filter((name) => is.test(name)).toSorted();
    if (names.length <= most) return { names };
    return { names: names.slice(0, most), error: `Only the first ${most} of ${names.length} are looked at.` };
  } catch (error) {
    const code = codeOf(error);
    const isAbsent = code === "ENOENT" || code === "ENOTDIR";
    return isAbsent ? { names: [] } : { names: [], error: `Refused: it cannot be read (${code}).` };
  }
}

/** The text of a file of such a folder, or in a sentence why it is not read. Of one that was removed meanwhile, neither. */
export async function textInFolder(
  path: string,
  { beneath, owners, covers }: OwnedFolder,
  mostBytes: number,
): Promise<{ readonly text?: string; readonly error?: string }> {
  const limits = { mostBytes, owners, ...(beneath === undefined ? {} : { beneath }) };
  const file = await readOwnedFile(path, limits);
  if (file === undefined) return {};
  if (file.error !== undefined) return { error: `Refused: ${file.error}.` };
  if (covers?.(path, sha256(file.text)) === false) return { error: "Refused: it is not what was trusted." };
  return { text: file.text };
}
