import { lstatSync, realpathSync, type Stats } from "node:fs";
import { dirname, isAbsolute } from "node:path";

/**
 * Why a path is not under root's control alone; `undefined` if it is. Every folder above it, as it is written and
 * without links, must belong to root and be writable by root alone. A sticky folder is fine: others cannot replace
 * what root has in it.
 */
export function whyNotRoots(path: string): string | undefined {
  if (!isAbsolute(path)) return `${path} is not an absolute path`;
  try {
    return [path, realpathSync(path)].flatMap(withFolders).map(foreignness).find(Boolean);
  } catch {
    return `${path} does not exist`;
  }
}

export function isRootOwned(path: string): boolean {
  return whyNotRoots(path) === undefined;
}

function withFolders(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === path ? [path] : [path, ...withFolders(folder)];
}

function foreignness(path: string): string | undefined {
  return foreignEntry(path, lstatSync(path));
}

/** The same for one entry, without the folders above it. */
export function foreignEntry(path: string, found: Stats): string | undefined {
  if (found.uid !== 0) return `${path} belongs to another user than root`;
  const isOpen = !found.isSymbolicLink() && (found.mode & 0o022) !== 0;
  const isSticky = found.isDirectory() && (found.mode & 0o1000) !== 0;
  return isOpen && !isSticky ? `other users may write ${path}` : undefined;
}
