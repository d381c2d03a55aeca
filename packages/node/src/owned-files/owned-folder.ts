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
 * Where a folder really is, or in a sentence why nothing of it is read; neither for a missing one. Everyone who can
 * write to a folder can put a file there.
 */
export async function openFolder({
  folder,
  beneath,
  owners,
}: OwnedFolder): Promise<{ readonly real?: string; readonly error?: string }> {
  try {
    const real = await realpath(folder);
    if (beneath !== undefined && !isWithin(real, beneath))
      return { error: "Refused: it is a link that leads out of the project." };
    const refused = ownershipError(await lstat(real), owners);
    return refused === undefined ? { real } : { error: `Refused: ${refused}.` };
  } catch (error) {
    return unreadable(error);
  }
}

function unreadable(error: unknown): { readonly error?: string } {
  const code = codeOf(error);
  return code === "ENOENT" || code === "ENOTDIR" ? {} : { error: `Refused: it cannot be read (${code}).` };
}

interface WantedNames {
  readonly is: RegExp;
  readonly most: number;
  /** Folders and links are looked for. Default: entries of any kind. */
  readonly areFolders?: boolean;
}

/** The names in a folder that are looked for, sorted; of too many, the first ones. A missing folder is empty. */
export async function namesInFolder(location: OwnedFolder, wanted: WantedNames): Promise<FolderNames> {
  const { is, most, areFolders = false } = wanted;
  const { real, ...refused } = await openFolder(location);
  if (real === undefined) return { names: [], ...refused };
  try {
    const names = (await readdir(real, { withFileTypes: true }))
      .filter((entry) => !areFolders || entry.isDirectory() || entry.isSymbolicLink())
      .map(({ name }) => name)
      .filter((name) => is.test(name))
      .toSorted();
    if (names.length <= most) return { names };
    return { names: names.slice(0, most), error: `Only the first ${most} of ${names.length} are looked at.` };
  } catch (error) {
    return { names: [], ...unreadable(error) };
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
