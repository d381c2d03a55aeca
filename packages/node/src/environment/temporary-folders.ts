import { tmpdir } from "node:os";
import { isWithin } from "@toolkeep/core/internal";
import { canonicalPath } from "../files/canonical-path.ts";

/**
 * The folders of this machine for temporary files, without links: what `{tmp}` stands for where commands run without a
 * sandbox. A folder that contains a workspace is none: rules about `{tmp}` must not decide about a project. The
 * environment names such a folder too, but only one where systems keep them is believed: a project may set it.
 */
export async function temporaryFolders(
  roots: readonly string[],
  named: string = tmpdir(),
): Promise<readonly string[]> {
  const folders = await Promise.all([...USUAL, named].map((path) => canonicalPath(path).catch(() => [])));
  const known = folders.flat().filter((path) => TEMPORARY.test(path));
  return [...new Set(known)].filter((folder) => !roots.some((root) => isWithin(root, folder)));
}

const USUAL = ["/tmp", "/var/tmp"];

/** The last are those of each user on macOS. */
const TEMPORARY = /^(?:\/private)?(?:\/tmp|\/var\/tmp|\/var\/folders\/[^/]+\/[^/]+\/T)(?:\/|$)/;

/** The names under which a command sees the folder for temporary files. */
export const TEMPORARY_NAMES: readonly string[] = ["/tmp", "/var/tmp"];
